// What the edge reports about attempts that are moved aside and brought back.
#include "core/transitions.h"

namespace gpusched {

Applied apply_moved(State&, const MovedAside&, Now) { return {}; }
Applied apply_back(State&, const BroughtBack&, Now) { return {}; }
Applied apply_move_failed(State&, const MoveFailed&, Now) { return {}; }

}  // namespace gpusched
