// The one place where Asio and Beast are compiled; everybody else sees declarations only
// (BOOST_ASIO_SEPARATE_COMPILATION), which keeps builds short.
#include <utility>

#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
