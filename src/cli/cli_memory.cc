/* cli/cli_memory.cc - the program's last word where oneDNN, out of memory, would crash.
 * The library reports what can be caught (backend/onednn/dnnl_calls.cc); three things
 * cannot, and only a program may answer them, since all replace what belongs to the
 * whole process:
 *
 * - oneDNN makes its objects (memories, primitives, descriptors) by an operator new that
 *   hands on what posix_memalign() answers, and constructs them there without a look.
 * - It writes the code of its kernels to where mmap() answers, without a look.
 * - While it leaves its cache of primitives by an exception, a destructor asks for
 *   memory, which ends in std::terminate().
 *
 * Here the first two give up a reserve for the first request that finds no memory. The
 * next one, and the third, end the program: a sentence, exit code 1, and the files as after
 * a kill. */
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "cli/cli.h"

namespace
{

/* Larger than an object or a kernel's code; larger requests are buffers, which oneDNN
 * looks at. */
constexpr std::size_t reserve_size = 1 << 20;
std::atomic<void *> reserve{std::malloc(reserve_size)};

[[noreturn]] void give_up()
{
    std::fputs("jensen: out of memory inside oneDNN\n", stderr);
    _exit(CLI_FAILED);
}

const std::terminate_handler former = std::set_terminate(give_up);

/* Asks again with the reserve; `none` is the answer when there is no memory. */
template <typename Ask> void *ask_again(Ask ask, void *none)
{
    std::free(reserve.exchange(nullptr));
    void *block = ask();
    if (block == none)
        give_up();
    return block;
}

} // namespace

#define REPLACED extern "C" __attribute__((visibility("default")))

REPLACED int posix_memalign(void **out, std::size_t alignment,
                            std::size_t size) noexcept
{
    const auto ask = [=] { return std::aligned_alloc(alignment, size); };
    void *block = ask();
    if (block == nullptr && size < reserve_size && errno != EINVAL)
        block = ask_again(ask, nullptr);
    if (block == nullptr)
        return errno;
    *out = block;
    return 0;
}

REPLACED void *mmap(void *at, std::size_t length, int protection, int flags, int fd,
                    off_t offset) noexcept
{
    static const auto next =
        reinterpret_cast<decltype(&mmap)>(dlsym(RTLD_NEXT, "mmap"));
    const auto ask = [=] { return next(at, length, protection, flags, fd, offset); };
    void *block = ask();
    if (block == MAP_FAILED && (flags & MAP_ANONYMOUS) != 0 && length < reserve_size)
        block = ask_again(ask, MAP_FAILED);
    return block;
}
