// How many descriptors this process may have open. The daemon needs some for every job and every
// client, so it takes as many as it may have; whatever it starts gets the limit back that it was
// started with itself, because that one was meant for jobs.
#pragma once

#include <cstdint>
#include <string>

namespace gpusched {

// The limit that children get back: handed on by this name, as "soft:hard".
inline constexpr const char* kDescriptorsVariable = "GPUSCHED_DESCRIPTORS";

// As many as are allowed, and for root at least 65536. Sets the variable. Returns the limit.
std::uint64_t raise_descriptor_limit();
// In a child: the limit of the variable, which is removed. Nothing without it.
void give_back_descriptor_limit();
// "GPUSCHED_DESCRIPTORS=soft:hard" for the environment of a child; empty: nothing was raised.
std::string descriptors_for_child();

// How many are open now.
std::uint64_t open_descriptors();

}  // namespace gpusched
