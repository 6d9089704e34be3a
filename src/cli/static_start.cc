// Linked into static programs only, in place of what the compiler's start-up code calls
// (cmake/targets.cmake says why).
extern "C" {
void __wrap___register_frame_info(const void*, void*);
void* __wrap___deregister_frame_info(const void*);
void __wrap__ZNSt8ios_base4InitC1Ev(void*);
void __wrap__ZNSt8ios_base4InitD1Ev(void*);

void __wrap___register_frame_info(const void*, void*) {}
void* __wrap___deregister_frame_info(const void*) { return nullptr; }
void __wrap__ZNSt8ios_base4InitC1Ev(void*) {}
void __wrap__ZNSt8ios_base4InitD1Ev(void*) {}
}
