/* backend/onednn/dnnl_calls.cc - see dnnl_calls.h. The one file in C++: C can neither
 * catch an exception nor let one pass. */
#include "backend/onednn/dnnl_calls.h"

#include <new>
#include <type_traits>

namespace
{

/* What a call answers that an exception ended. */
template <typename Result> Result failure(dnnl_status_t status)
{
    if constexpr (std::is_same_v<Result, dnnl_status_t>)
        return status;
    else
        return Result{};
}

template <auto function> struct guarded;

template <typename Result, typename... Arguments, Result (*function)(Arguments...)>
struct guarded<function> {
    static Result call(Arguments... arguments)
    {
        try {
            return function(arguments...);
        } catch (const std::bad_alloc &) {
            return failure<Result>(dnnl_out_of_memory);
        } catch (...) {
            return failure<Result>(dnnl_runtime_error);
        }
    }
};

} // namespace

#define GUARDED(name) guarded<dnnl_##name>::call,
const jsni_dnnl_table jsni_dnnl = {JSNI_DNNL_CALLS(GUARDED)};
