/* SPDX-License-Identifier: MIT
 *
 * finding_packages.c: which packages keep how much.
 *
 * The producer says which file a function, its scope, a piece of code or a module belongs to. Such a node belongs to the package of
 * that file, and every other one to that of the nearest such node that dominates it: so each byte counts once. What no code
 * keeps alone, and what code of two packages claims, belongs to none.
 */
#include "base/hash.h"
#include "base/human.h"
#include "base/text.h"
#include "base/u64_map.h"
#include "lenses/finding_facts.h"

#define LEAST_BYTES (1024 * 1024)
#define LEAST_PARTS 10 /* a tenth of everything */
#define REPORTED 3

/* Owners: numbers of rows. The first ones are no packages. */
enum { OWNER_NONE, OWNER_RUNTIME, OWNER_PROGRAM, N_FIXED_OWNERS };
#define OWNER_UNKNOWN UINT32_MAX /* so far */

typedef struct package {
    ubi_text name;
    uint64_t bytes, n_functions, n_files;
    uint64_t data_bytes;        /* without code */
    ubi_node_ix first, largest; /* a node that names its file, and the data that keeps most; UBI_NONE: none */
} package;

UBI_VEC_DECLARE(vec_package, package);

typedef struct census {
    const ubi__finding_facts *f;
    ubi__code_files files;
    vec_package rows;
    ubi__u64_map row_of_file;    /* by the address of its name */
    ubi__u64_map row_of_package; /* by the hash of its name */
    uint32_t *owner;             /* owner[n_nodes] */
} census;

/* ---- names ---------------------------------------------------------------------------------------------------------- */

static bool is_separator(char c) {
    return c == '/' || c == '\\';
}

static size_t name_end(ubi_text path, size_t at) {
    while (at < path.len && !is_separator(path.ptr[at]))
        at++;
    return at;
}

/* "x" or "@scope/x" after the last "node_modules/"; empty: the file is of no package. Names beginning with a dot are stores. */
static ubi_text package_name(ubi_text path) {
    static const char folder[] = "node_modules";
    const size_t n = sizeof folder - 1;
    for (size_t begin = path.len; begin-- > 0;) {
        bool is_folder = path.len - begin > n + 1 && ubi__text_begins((ubi_text){ path.ptr + begin, n }, folder) &&
                         is_separator(path.ptr[begin + n]) && (begin == 0 || is_separator(path.ptr[begin - 1]));
        size_t first = begin + n + 1, end;
        if (!is_folder)
            continue;
        end = name_end(path, first);
        if (path.ptr[first] == '@' && end < path.len)
            end = name_end(path, end + 1);
        if (path.ptr[first] != '.' && end < path.len)
            return (ubi_text){ path.ptr + first, end - first };
    }
    return (ubi_text){ "", 0 };
}

/* ---- owners --------------------------------------------------------------------------------------------------------- */

/* Names whose hashes are equal take the next keys. */
static ubi_status row_of_name(uint32_t *out, census *c, ubi_text name) {
    uint64_t key = ubi__hash_bytes(name.ptr, name.len);
    uint32_t row;
    while ((row = ubi__u64_map_get(&c->row_of_package, key)) != UBI_NONE &&
           !ubi__text_equal(c->rows.at[row].name, name))
        key++;
    if (row == UBI_NONE) {
        package fresh = { .name = name, .first = UBI_NONE, .largest = UBI_NONE };
        row = (uint32_t)c->rows.n;
        UBI_TRY(vec_package_push(&c->rows, c->f->allocator, fresh));
        UBI_TRY(ubi__u64_map_put(&c->row_of_package, key, row));
    }
    *out = row;
    return UBI_OK;
}

/* There are few files, and each has one name, whose address identifies it. */
static ubi_status row_of_file(uint32_t *out, census *c, ubi_text file) {
    uint64_t key = (uint64_t)(uintptr_t)file.ptr;
    uint32_t row = ubi__u64_map_get(&c->row_of_file, key);
    if (row == UBI_NONE) {
        ubi_text name = package_name(file);
        row = c->f->producer->file_is_of_runtime(file) ? OWNER_RUNTIME : OWNER_PROGRAM;
        if (row == OWNER_PROGRAM && name.len)
            UBI_TRY(row_of_name(&row, c, name));
        UBI_TRY(ubi__u64_map_put(&c->row_of_file, key, row));
        c->rows.at[row].n_files++;
    }
    *out = row;
    return UBI_OK;
}

/* Code that names its own file is not for others to claim. */
static void claim(census *c, ubi_node_ix node, uint32_t row, ubi__node_bits *named) {
    if (ubi__node_bits_has(named, node))
        return;
    uint32_t owner = c->owner[node];
    c->owner[node] = owner == OWNER_UNKNOWN || owner == row ? row : OWNER_NONE;
}

static ubi_status name_owners(census *c, ubi__node_bits *named) {
    const ubi__finding_facts *f = c->f;
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node); node++) {
        ubi_text file = f->producer->file_of_code(f, &c->files, node);
        if (!file.len)
            continue;
        UBI_TRY(row_of_file(&c->owner[node], c, file));
        ubi__node_bits_put(named, node);
        package *p = &c->rows.at[c->owner[node]];
        p->first = p->first == UBI_NONE ? node : p->first;
        p->n_functions += ubi__finding_role(f, node) == UBI__ROLE_CLOSURE;
    }
    return f->fields->status;
}

static void claim_scopes(census *c, ubi__node_bits *named) {
    const ubi_graph *g = c->f->graph;
    for (ubi_node_ix node = 0; ubi__finding_has_node(c->f, node); node++) {
        if (!ubi__node_bits_has(named, node))
            continue;
        for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++)
            if (c->f->producer->edge_is_of_file(c->f, node, e))
                claim(c, g->target.at[e], c->owner[node], named);
    }
}

/* Each node is passed at most twice: once from below, once to get its owner. */
static void spread_owner(census *c, ubi_node_ix node) {
    const ubi_dominators *d = c->f->dominators;
    ubi_node_ix at = node;
    while (at != UBI_NONE && c->owner[at] == OWNER_UNKNOWN)
        at = ubi_dominators_immediate(d, at);
    uint32_t owner = at == UBI_NONE ? OWNER_NONE : c->owner[at];
    for (ubi_node_ix below = node; below != at; below = ubi_dominators_immediate(d, below))
        c->owner[below] = owner;
}

/* Code of a large package takes much in every program: functions, what is compiled for them, and the source of a script. */
static bool is_code(const ubi__finding_facts *f, ubi_node_ix node) {
    const ubi_graph *g = f->graph;
    ubi_node_ix holder = ubi_dominators_immediate(f->dominators, node);
    ubi_coarse_type type = ubi_graph_kind(g, g->kind.at[node])->coarse_type;
    if (type == UBI_COARSE_STRING && holder != UBI_NONE)
        return ubi_graph_kind(g, g->kind.at[holder])->coarse_type == UBI_COARSE_SCRIPT;
    return (type == UBI_COARSE_OTHER && ubi__finding_role(f, node) != UBI__ROLE_STORE) || type == UBI_COARSE_SCRIPT ||
           ubi__finding_role(f, node) == UBI__ROLE_CLOSURE || ubi__finding_role(f, node) == UBI__ROLE_CONTEXT;
}

static bool is_data(const ubi__finding_facts *f, ubi_node_ix node) {
    ubi__node_role role = ubi__finding_role(f, node);
    return role == UBI__ROLE_MAP || role == UBI__ROLE_SET || role == UBI__ROLE_ARRAY || role == UBI__ROLE_OBJECT ||
           ubi_graph_kind(f->graph, f->graph->kind.at[node])->coarse_type == UBI_COARSE_STRING;
}

static void sum_up(census *c, const ubi__node_bits *named) {
    const ubi__finding_facts *f = c->f;
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node); node++) {
        spread_owner(c, node);
        package *p = &c->rows.at[c->owner[node]];
        p->bytes += ubi_look_size_bytes(f->look, node);
        p->data_bytes += is_code(f, node) ? 0 : ubi_look_size_bytes(f->look, node);
        if (!ubi__node_bits_has(named, node) && is_data(f, node) &&
            (p->largest == UBI_NONE || ubi__finding_retained(f, node) > ubi__finding_retained(f, p->largest)))
            p->largest = node;
    }
}

/* Each node has an owner, and each byte counts once. Sizes of a hostile file may overflow, but equally on both sides. */
static void census_check(const census *c) {
    uint64_t bytes = 0, counted = 0;
    for (ubi_node_ix node = 0; ubi__finding_has_node(c->f, node); node++) {
        UBI_ASSERT(c->owner[node] < c->rows.n);
        bytes += ubi_look_size_bytes(c->f->look, node);
    }
    for (const package *p = c->rows.at; p < c->rows.at + c->rows.n; p++) {
        UBI_ASSERT(p->n_functions == 0 || p->first != UBI_NONE);
        counted += p->bytes;
    }
    UBI_ASSERT(counted == bytes);
    (void)bytes, (void)counted;
}

/* ---- reporting ------------------------------------------------------------------------------------------------------ */

static uint64_t bytes_of_packages(const census *c) {
    uint64_t bytes = 0;
    for (size_t row = N_FIXED_OWNERS; row < c->rows.n; row++)
        bytes += c->rows.at[row].bytes;
    return bytes;
}

static ubi_status package_finding_add(ubi__finding_list *out, const census *c, const package *p) {
    char size[UBI__HUMAN_TEXT], percent[UBI__HUMAN_TEXT], functions[UBI__HUMAN_TEXT], files[UBI__HUMAN_TEXT],
        others[UBI__HUMAN_TEXT], data[UBI__HUMAN_TEXT], program[UBI__HUMAN_TEXT], runtime[UBI__HUMAN_TEXT];
    ubi_finding finding = { .bytes = p->bytes, .count = p->n_functions };
    ubi__finding_name name = ubi__finding_cut(p->name);
    if (p->largest != UBI_NONE)
        ubi__finding_example(&finding, p->largest);
    ubi__finding_example(&finding, p->first);
    ubi__finding_call(&finding, "package %s", name.text);
    ubi__finding_say(
        &finding,
        "Package %s alone keeps %s alive, %s of the heap, %s of it data (%s of %s). Other packages keep "
        "%s, the program itself %s, the runtime %s.",
        name.text, ubi__human_size(size, p->bytes), ubi__human_percent(percent, p->bytes, c->f->total_bytes),
        ubi__human_size(data, p->data_bytes), ubi__human_things(functions, p->n_functions, "function"),
        ubi__human_things(files, p->n_files, "file"), ubi__human_size(others, bytes_of_packages(c) - p->bytes),
        ubi__human_size(program, c->rows.at[OWNER_PROGRAM].bytes),
        ubi__human_size(runtime, c->rows.at[OWNER_RUNTIME].bytes));
    return ubi__finding_add(out, &finding);
}

/* By their data: the largest that is smaller than the one reported last, or as large and later in the list. NULL: none. */
static const package *next_largest(const census *c, const package *last) {
    const package *best = NULL;
    for (const package *p = c->rows.at + N_FIXED_OWNERS; p < c->rows.at + c->rows.n; p++) {
        bool is_listed = last && (p->data_bytes > last->data_bytes || (p->data_bytes == last->data_bytes && p <= last));
        if (!is_listed && (!best || p->data_bytes > best->data_bytes))
            best = p;
    }
    return best;
}

static ubi_status report_largest(ubi__finding_list *out, const census *c) {
    const package *p = NULL;
    for (int i = 0; i < REPORTED; i++) {
        p = next_largest(c, p);
        if (!p || p->data_bytes < LEAST_BYTES || p->data_bytes < c->f->total_bytes / LEAST_PARTS)
            return UBI_OK;
        UBI_TRY(package_finding_add(out, c, p));
    }
    return UBI_OK;
}

static ubi_status census_take(census *c, ubi__node_bits *named) {
    static const package fixed = { .first = UBI_NONE, .largest = UBI_NONE };
    const ubi__finding_facts *f = c->f;
    const ubi__producer_code *code = &ubi__producer_of(f->graph)->code;
    c->owner = ubi__alloc_array(f->allocator, f->graph->n_nodes, sizeof *c->owner);
    if (!c->owner)
        return ubi__fail_nomem();
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++)
        c->owner[node] = OWNER_UNKNOWN;
    for (int i = 0; i < N_FIXED_OWNERS; i++)
        UBI_TRY(vec_package_push(&c->rows, f->allocator, fixed));
    if (code->files_init)
        UBI_TRY(code->files_init(&c->files, f->graph, f->allocator));
    UBI_TRY(name_owners(c, named));
    if (c->rows.n == N_FIXED_OWNERS) /* no packages */
        return UBI_OK;
    claim_scopes(c, named);
    sum_up(c, named);
    if (ubi__pulse_is_stopped(f->pulse))
        return ubi__fail_cancelled();
    if (UBI_CHECKS)
        census_check(c);
    return UBI_OK;
}

ubi_status ubi__finding_packages(ubi__finding_list *out, const ubi__finding_facts *f) {
    census c = { .f = f };
    ubi__node_bits named;
    if (!f->producer || !f->producer->file_of_code)
        return UBI_OK;
    UBI_TRY(ubi__node_bits_new(&named, f));
    ubi__u64_map_init(&c.row_of_file, f->allocator);
    ubi__u64_map_init(&c.row_of_package, f->allocator);
    ubi_status status = census_take(&c, &named);
    if (status == UBI_OK)
        status = report_largest(out, &c);
    ubi__free_array(f->allocator, c.owner, f->graph->n_nodes, sizeof *c.owner);
    ubi__code_files_fini(&c.files, f->allocator);
    ubi__u64_map_fini(&c.row_of_file);
    ubi__u64_map_fini(&c.row_of_package);
    vec_package_fini(&c.rows, f->allocator);
    ubi__node_bits_free(&named, f);
    return status;
}
