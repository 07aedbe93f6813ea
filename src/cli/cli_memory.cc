/* cli/cli_memory.cc - the program's last word where oneDNN, out of memory, would crash.
 * The library reports what can be caught (backend/onednn/dnnl_calls.cc); two things
 * cannot, and only a program may answer them, since both replace what belongs to the
 * whole process:
 *
 * - oneDNN makes its objects (memories, primitives, descriptors) by an operator new that
 *   hands on what posix_memalign() answers, and constructs them there without a look.
 *   Here posix_memalign() gives up a reserve for the first object without memory, and
 *   ends the program at the next.
 * - While oneDNN leaves its cache of primitives by an exception, a destructor asks for
 *   memory, which ends in std::terminate().
 *
 * Either way there is a sentence, exit code 1, and the files are as after a kill. */
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "cli/cli.h"

namespace
{

/* Larger than any object; larger requests are buffers, which oneDNN looks at. */
constexpr std::size_t reserve_size = 1 << 18;
std::atomic<void *> reserve{std::malloc(reserve_size)};

[[noreturn]] void give_up()
{
    std::fputs("jensen: out of memory inside oneDNN\n", stderr);
    _exit(CLI_FAILED);
}

const std::terminate_handler former = std::set_terminate(give_up);

} // namespace

extern "C" __attribute__((visibility("default"))) int
posix_memalign(void **out, std::size_t alignment, std::size_t size) noexcept
{
    void *block = std::aligned_alloc(alignment, size);
    if (block == nullptr && size < reserve_size && errno != EINVAL) {
        std::free(reserve.exchange(nullptr));
        block = std::aligned_alloc(alignment, size);
        if (block == nullptr)
            give_up();
    }
    if (block == nullptr)
        return errno;
    *out = block;
    return 0;
}
