/* cuda_host/host_products.cc - wgmma: asynchronous products of a warpgroup, from matrices in
 * shared memory, and the registers that its warps give each other.
 *
 * Of a product's 64 rows each of the four warps makes 16, by itself: of the warps, only what
 * they were given is compared. Lane l of a warp has of row l / 4, and of the row 8 further,
 * columns 8 * j + 2 * (l % 4) and the next; see the PTX manual, "wgmma".
 *
 * While products are under way their accumulators are not numbers, and may not be touched;
 * the true ones are kept here. Operands are read when a product begins or when its warp waits
 * for it, as copies arrive early or late. Who writes them in between is stopped. */
#include "cuda_host/host_state.h"

#include <cstring>

constexpr unsigned GROUP_WARPS = 4, GROUP_ROWS = 16, DEPTH = 16, MOST_COLUMNS = 96;
constexpr unsigned WARPS = HOST_THREADS / HOST_WARP, CHUNK = 16 /* bytes */;
constexpr unsigned ALL_REGISTERS = 65536;
constexpr uint32_t UNDER_WAY = 0xffffffff;
constexpr int POISON = 0xff; /* bytes: not a number */

struct task {
    uint64_t a, b;
    unsigned columns;
    bool more;
    bool operator!=(const task &other) const
    {
        return a != other.a || b != other.b || columns != other.columns ||
               more != other.more;
    }
};

struct accumulators {
    unsigned count; /* of a lane */
    float *at[HOST_WARP];
    float value[HOST_WARP][MOST_COLUMNS / 2];
};

struct pending {
    task what;
    size_t sums; /* which accumulators */
};

struct warp_products {
    bool begun; /* wgmma.fence */
    size_t committed;
    std::vector<pending> tasks;
    std::vector<accumulators> sums;
    std::vector<size_t> reads;
    size_t issued; /* in the block */
    unsigned registers;
};

static struct {
    bool late;
    unsigned block_warps;
    warp_products warp[WARPS];
    std::vector<task> issued[WARPS / GROUP_WARPS];
    /* When a warp's products last read 16 bytes of shared memory: [16 bytes][warp]. */
    std::vector<uint32_t> read;
    uint32_t began;
} products;

bool host_products_used;
unsigned host_products_under_way;

void host_products_block(unsigned threads, bool late)
{
    products.late = late;
    products.block_warps = (threads + HOST_WARP - 1) / HOST_WARP;
    for (unsigned w = 0; w < WARPS; w++) {
        for (const size_t granule :
             products.warp[w].reads) /* of one that was stopped */
            products.read[granule * WARPS + w] = 0;
        products.warp[w] = {};
        products.warp[w].registers = ALL_REGISTERS / threads / 8 * 8;
    }
    for (std::vector<task> &group : products.issued)
        group.clear();
    host_products_used = false;
    host_products_under_way = 0;
    products.began = host_tick();
}

void host_products_end(unsigned rank)
{
    unsigned registers = 0;
    for (unsigned w = 0; w < products.block_warps; w++) {
        const warp_products &mine = products.warp[rank * products.block_warps + w];
        if (!mine.tasks.empty())
            host_break("ends its block while products are under way");
        if (mine.issued != products.issued[w / GROUP_WARPS].size())
            host_break("ends its block, where warps of a group have made another "
                       "number of products");
        registers += mine.registers * HOST_WARP;
    }
    if (registers > ALL_REGISTERS)
        host_break("ends its block, whose threads have %u registers", registers);
}

/* ---- operands ---- */

static size_t granule_of(const char *at)
{
    size_t bytes;
    return (size_t)(at - host_shared_storage(&bytes)) / CHUNK;
}

static uint32_t *reads_of(const char *at)
{
    if (products.read.empty()) {
        size_t bytes;
        (void)host_shared_storage(&bytes);
        products.read.assign((bytes / CHUNK + 1) * WARPS, 0);
    }
    return &products.read[granule_of(at) * WARPS];
}

void host_products_overwrite(unsigned thread, const char *at, size_t bytes)
{
    for (const char *p = at; p < at + bytes; p += CHUNK) {
        const uint32_t *read = reads_of(p);
        for (unsigned w = 0; w < products.block_warps; w++) {
            if (read[w] < products.began)
                continue;
            bool known = read[w] != UNDER_WAY && thread / HOST_WARP == w;
            for (unsigned l = 0; l < HOST_WARP && read[w] != UNDER_WAY && !known; l++)
                known = host_ordered(thread, (uint16_t)(w * HOST_WARP + l)) > read[w];
            if (!known)
                host_break("writes shared memory that products of warp %u read, %s", w,
                           read[w] == UNDER_WAY ? "which are under way"
                                                : "with no barrier between");
        }
    }
}

/* The 8 rows of 16 bytes, of those that a descriptor names, with row and chunk `inner`. */
static uint32_t place(uint64_t descriptor, unsigned row, unsigned inner)
{
    const uint32_t start = (uint32_t)(descriptor & 0x3fff) * 16;
    const uint32_t along = (uint32_t)(descriptor >> 16 & 0x3fff) * 16;
    const uint32_t down = (uint32_t)(descriptor >> 32 & 0x3fff) * 16;
    return start + inner * along + row / 8 * down + row % 8 * CHUNK;
}

/* Calls `what` for each 16 bytes that a warp reads of an operand. */
template <class WHAT>
static void walk(uint64_t descriptor, unsigned first, unsigned rows, const WHAT &what)
{
    for (unsigned row = 0; row < rows; row++)
        for (unsigned inner = 0; inner < DEPTH * 2 / CHUNK; inner++)
            what(host_shared_pointer(place(descriptor, first + row, inner)), row,
                 inner);
}

static unsigned first_row(unsigned warp)
{
    return warp % GROUP_WARPS * GROUP_ROWS;
}

static void mark_reads(unsigned warp, const task &t)
{
    warp_products &mine = products.warp[warp];
    const auto mark = [&](const char *at, unsigned row, unsigned) {
        host_touch_async(warp * HOST_WARP + row % HOST_WARP, at, CHUNK);
        reads_of(at)[warp] = UNDER_WAY;
        mine.reads.push_back(granule_of(at));
    };
    walk(t.a, first_row(warp), GROUP_ROWS, mark);
    walk(t.b, 0, t.columns, mark);
    host_products_used = true;
}

static float widen(uint16_t bits)
{
    const uint32_t word = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

/* d += a*b, rounded once; a row of the product is two of four neighbouring lanes' pairs. */
static void compute(unsigned warp, const task &t, accumulators &d)
{
    double a[GROUP_ROWS][DEPTH], b[DEPTH][MOST_COLUMNS];
    walk(t.a, first_row(warp), GROUP_ROWS,
         [&](const char *at, unsigned row, unsigned inner) {
             for (unsigned k = 0; k < 8; k++)
                 a[row][inner * 8 + k] = (double)widen(((const uint16_t *)at)[k]);
         });
    walk(t.b, 0, t.columns, [&](const char *at, unsigned column, unsigned inner) {
        for (unsigned k = 0; k < 8; k++)
            b[inner * 8 + k][column] = (double)widen(((const uint16_t *)at)[k]);
    });
    for (unsigned row = 0; row < GROUP_ROWS; row++) {
        double sum[MOST_COLUMNS] = {};
        for (unsigned k = 0; k < DEPTH; k++)
            for (unsigned n = 0; n < t.columns; n++)
                sum[n] += a[row][k] * b[k][n];
        for (unsigned n = 0; n < t.columns; n++) {
            float &to =
                d.value[row % 8 * 4 + n % 8 / 2][n / 8 * 4 + row / 8 * 2 + n % 2];
            to = (float)(t.more ? sum[n] + (double)to : sum[n]);
        }
    }
}

/* ---- accumulators ---- */

struct lane_product {
    float *d;
    task what;
};

/* Those at the lanes' addresses: under way already, or from here on. */
static size_t take_sums(warp_products &mine, void **lanes, unsigned count)
{
    const lane_product *first = (const lane_product *)lanes[0];
    for (size_t i = 0; i < mine.sums.size(); i++)
        if (mine.sums[i].at[0] == first->d && mine.sums[i].count == count)
            return i;
    mine.sums.emplace_back();
    accumulators &d = mine.sums.back();
    d.count = count;
    for (unsigned l = 0; l < HOST_WARP; l++) {
        d.at[l] = ((const lane_product *)lanes[l])->d;
        memcpy(d.value[l], d.at[l], count * sizeof(float));
        memset(d.at[l], POISON, count * sizeof(float));
    }
    host_products_under_way++;
    return mine.sums.size() - 1;
}

void host_products_touch(const char *at, size_t bytes)
{
    const unsigned lane = host_fiber.now % HOST_WARP;
    for (const accumulators &d : products.warp[host_fiber.now / HOST_WARP].sums) {
        const char *from = (const char *)d.at[lane];
        if (at + bytes > from && at < from + d.count * sizeof(float))
            host_break("touches an accumulator of products that are under way");
    }
}

static void give_sums(warp_products &mine)
{
    for (const accumulators &d : mine.sums)
        for (unsigned l = 0; l < HOST_WARP; l++) {
            for (size_t i = 0; i < d.count * sizeof(float); i++)
                if (((const unsigned char *)d.at[l])[i] != POISON)
                    host_break("waits for products whose accumulators were changed");
            memcpy(d.at[l], d.value[l], d.count * sizeof(float));
        }
    host_products_under_way -= (unsigned)mine.sums.size();
    mine.sums.clear();
}

/* ---- what a warp does together ---- */

static void check_group(unsigned warp, const task &t)
{
    warp_products &mine = products.warp[warp];
    std::vector<task> &group = products.issued[warp / GROUP_WARPS];
    if (mine.issued == group.size())
        group.push_back(t);
    if (group[mine.issued++] != t)
        host_break("multiplies other matrices than another warp of its group");
}

static void issue(void **lanes)
{
    host_need_all(lanes, "wgmma");
    const unsigned warp = host_fiber.now / HOST_WARP;
    warp_products &mine = products.warp[warp];
    const task t = ((const lane_product *)lanes[0])->what;
    for (unsigned l = 1; l < HOST_WARP; l++)
        if (((const lane_product *)lanes[l])->what != t)
            host_break("multiplies other matrices than another lane of its warp");
    if (!mine.begun)
        host_break("begins a product with no wgmma.fence before");
    constexpr uint64_t KNOWN = 0x3fff | 0x3fffull << 16 | 0x3fffull << 32;
    if ((t.a | t.b) & ~KNOWN)
        host_break("has a descriptor of an operand with bits that the machine does not "
                   "know");
    check_group(warp, t);
    mark_reads(warp, t);
    const size_t sums = take_sums(mine, lanes, t.columns / 2);
    if (!products.late)
        compute(warp, t, mine.sums[sums]);
    mine.tasks.push_back({t, sums});
}

void host_multiply_group(float *d, unsigned columns, uint64_t a, uint64_t b, bool more)
{
    host_known_begin();
    lane_product mine = {d, {a, b, columns, more}};
    host_meet("wgmma", &mine, issue);
}

static void begin(void **lanes)
{
    host_need_all(lanes, "wgmma.fence");
    products.warp[host_fiber.now / HOST_WARP].begun = true;
}

static void commit(void **lanes)
{
    host_need_all(lanes, "wgmma.commit_group");
    warp_products &mine = products.warp[host_fiber.now / HOST_WARP];
    mine.committed = mine.tasks.size();
}

static void wait(void **lanes)
{
    host_need_all(lanes, "wgmma.wait_group");
    const unsigned warp = host_fiber.now / HOST_WARP;
    warp_products &mine = products.warp[warp];
    if (mine.committed != mine.tasks.size())
        host_break("waits for products that it has not committed");
    if (products.late)
        for (const pending &p : mine.tasks)
            compute(warp, p.what, mine.sums[p.sums]);
    give_sums(mine);
    const uint32_t now = host_tick();
    for (const size_t granule : mine.reads)
        products.read[granule * WARPS + warp] = now;
    mine.reads.clear();
    mine.tasks.clear();
    mine.committed = 0;
    mine.begun = false;
}

void host_products_begin(void)
{
    static char nothing;
    host_meet("wgmma.fence", &nothing, begin);
}

void host_products_commit(void)
{
    static char nothing;
    host_meet("wgmma.commit_group", &nothing, commit);
}

void host_products_wait(void)
{
    static char nothing;
    host_meet("wgmma.wait_group", &nothing, wait);
}

/* ---- registers ---- */

struct share {
    unsigned count;
    bool more;
};

static void change_share(void **lanes)
{
    host_need_all(lanes, "setmaxnreg");
    const share *wanted = (const share *)lanes[0];
    unsigned &has = products.warp[host_fiber.now / HOST_WARP].registers;
    if (wanted->count % 8 || wanted->count < 24 || wanted->count > 256 ||
        (wanted->more ? wanted->count < has : wanted->count > has))
        host_break("goes from %u to %u registers", has, wanted->count);
    has = wanted->count;
}

void host_registers(unsigned count, bool more)
{
    share mine = {count, more};
    host_meet("setmaxnreg", &mine, change_share);
}
