/* cuda_host/host_hooks.cc - the compiler's calls: kernels are compiled with -fsanitize=thread,
 * which puts one before every access to memory, and linked without that sanitizer's library. */
#include "cuda_host/host_state.h"

static void hooked(const void *at, size_t bytes, bool write, bool aligned)
{
    if (!host_fiber.running)
        return;
    if (aligned && (uintptr_t)at % bytes)
        host_break("touches %zu bytes at an address they do not divide", bytes);
    host_access(at, bytes, write);
}

#define HOOKS(bytes)                             \
    void __tsan_read##bytes(void *at)            \
    {                                            \
        hooked(at, bytes, false, true);          \
    }                                            \
    void __tsan_write##bytes(void *at)           \
    {                                            \
        hooked(at, bytes, true, true);           \
    }                                            \
    void __tsan_unaligned_read##bytes(void *at)  \
    {                                            \
        hooked(at, bytes, false, false);         \
    }                                            \
    void __tsan_unaligned_write##bytes(void *at) \
    {                                            \
        hooked(at, bytes, true, false);          \
    }

extern "C" {
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
void __tsan_read_range(void *at, size_t bytes)
{
    hooked(at, bytes, false, false);
}
void __tsan_write_range(void *at, size_t bytes)
{
    hooked(at, bytes, true, false);
}
void __tsan_init(void)
{
}
void __tsan_func_entry(void *)
{
}
void __tsan_func_exit(void)
{
}
}
