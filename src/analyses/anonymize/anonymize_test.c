/* SPDX-License-Identifier: MIT
 *
 * anonymize_test.c: which parts of which texts are replaced, and what is promised of the replacements.
 *
 * Expected texts name replaced words in braces: "get {size2}" is "get " and whatever stands for the word "size2".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/anonymize/anonymizer.h"
#include "base/text.h"
#include "fail_allocator.h"

#define KEY "a key of 16 byte"

static ubi_anonymizer_options with_key(const char *key, const ubi_allocator *allocator) {
    ubi_anonymizer_options options = UBI_ANONYMIZER_OPTIONS_INIT;
    options.key = key;
    options.key_bytes = strlen(key);
    options.allocator = allocator;
    return options;
}

static ubi_anonymizer *must_make(const char *key, unsigned n_digits) {
    ubi_anonymizer_options options = with_key(key, NULL);
    ubi_anonymizer *a = NULL;
    assert_int_equal(ubi__anonymizer_new(&a, &options, n_digits), UBI_OK);
    return a;
}

static void map(char out[256], ubi_anonymizer *a, ubi_text_role role, const char *text) {
    ubi_text result;
    assert_int_equal(ubi_anonymizer_text(a, role, ubi__text(text), &result), UBI_OK);
    assert_in_range(result.len, 0, 255);
    memcpy(out, result.ptr, result.len);
    out[result.len] = 0;
}

/* "{word}" becomes what stands for the word. */
static void expand(char out[256], ubi_anonymizer *a, const char *pattern) {
    size_t n = 0;
    for (const char *p = pattern; *p; p++) {
        if (*p != '{') {
            out[n++] = *p;
            continue;
        }
        size_t length = strcspn(p + 1, "}");
        ubi_text replacement;
        assert_int_equal(ubi__word_map_get(&replacement, &a->words, (ubi_text){ p + 1, length }), UBI_OK);
        memcpy(out + n, replacement.ptr, replacement.len);
        n += replacement.len;
        p += length + 1;
    }
    out[n] = 0;
}

static void expect(ubi_anonymizer *a, ubi_text_role role, const char *text, const char *pattern) {
    char result[256], expected[256];
    map(result, a, role, text);
    expand(expected, a, pattern);
    assert_string_equal(result, expected);
}

static void expect_kept(ubi_anonymizer *a, ubi_text_role role, const char *text) {
    char result[256];
    map(result, a, role, text);
    assert_string_equal(result, text);
}

typedef struct example {
    const char *text, *pattern;
} example;

#define EXPECT_ALL(role, examples)                                                                                     \
    do {                                                                                                               \
        ubi_anonymizer *a_ = must_make(KEY, UBI__WORD_DIGITS);                                                         \
        for (size_t i_ = 0; i_ < sizeof(examples) / sizeof *(examples); i_++)                                          \
            expect(a_, role, (examples)[i_].text, (examples)[i_].pattern);                                             \
        ubi_anonymizer_free(a_);                                                                                       \
    } while (0)

/* ---- roles ------------------------------------------------------------------------------------------------------ */

static void types_of_the_engine_are_kept(void **state) {
    static const example examples[] = {
        { "JSObject", "JSObject" },       { "js::jit::JitCode", "js::jit::JitCode" },
        { "nsIContent", "nsIContent" },   { "", "" },
        { "js::Secret", "{js::Secret}" }, { "Array", "{Array}" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_TYPE_NAME, examples);
}

static void standard_classes_and_their_companions_are_kept(void **state) {
    static const example examples[] = {
        { "Object", "Object" },
        { "HTMLDivElement", "HTMLDivElement" },
        { "NodeListPrototype", "NodeListPrototype" },
        { "Map.prototype", "Map.prototype" },
        { "Array Iterator", "Array Iterator" },
        { "URLSearchParams IteratorPrototype", "URLSearchParams IteratorPrototype" },
        { "Customer", "{Customer}" },
        { "CustomerPrototype", "{Customer}Prototype" },
        { "Prototype", "{Prototype}" },
        { "object", "{object}" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_CLASS_NAME, examples);
}

static void edges_of_the_engine_and_of_the_library_are_kept(void **state) {
    static const example examples[] = {
        { "shape", "shape" },
        { "objectElements[0]", "objectElements[0]" },
        { "objectElements[4294967295]", "objectElements[4294967295]" },
        { "**UNKNOWN SLOT 3**", "**UNKNOWN SLOT 3**" },
        { "**SYMBOL KEY**", "**SYMBOL KEY**" },
        { "Child Node", "Child Node" },
        { "XPCWrappedNativeScope::mIDProto", "XPCWrappedNativeScope::mIDProto" },
        { "__proto__", "__proto__" },
        { "addEventListener", "addEventListener" },
        { "HTMLElement", "HTMLElement" },
        { "CLASS_OBJECT(Array)", "CLASS_OBJECT(Array)" },
        { "CLASS_OBJECT(Secret)", "CLASS_OBJECT({Secret})" },
        { "Preserved wrapper, holder 0x7eff941076a0", "Preserved wrapper, holder 0x7eff941076a0" },
        { "mSecret, holder 0x7eff941076a0", "{mSecret}, holder 0x7eff941076a0" },
        { "salary, holder 0x7eff941076a01111f", "{salary, holder 0x7eff941076a01111f}" },
        { "salary, holder 0x", "{salary, holder 0x}" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_EDGE_NAME, examples);
}

static void properties_of_the_program_are_replaced(void **state) {
    static const example examples[] = {
        { "makeDom", "{makeDom}" },
        { "#secret", "#{secret}" },
        { "#", "#" },
        { "a.b", "{a.b}" },
        { "Child Nodes", "{Child Nodes}" },
        { "objectElements[12345678901]", "{objectElements[12345678901]}" },
        { "objectElements[4294967296]", "{objectElements[4294967296]}" },
        { "objectElements[01]", "{objectElements[01]}" },
        { "objectElements[#]", "{objectElements[#]}" },
        { "x_smdx4x7r24", "{x_smdx4x7r24}" },
        { "https://example.com/?key=1", "{https://example.com/?key=1}" },
        { "\xff\xfe", "{\xff\xfe}" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_EDGE_NAME, examples);
}

static void numbers_are_kept_while_they_can_only_be_positions(void **state) {
    static const example examples[] = {
        { "0", "0" }, { "999", "999" }, { "1000", "{1000}" }, { "007", "{007}" }, { "-1", "{-1}" }, { "1.5", "{1.5}" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_EDGE_NAME, examples);
}

static void names_of_functions_keep_their_structure(void **state) {
    static const example examples[] = {
        { "makeDom", "{makeDom}" },
        { "makeMisc/o.basket<", "{makeMisc}/{o}.{basket}<" },
        { "Array.prototype.map", "Array.prototype.map" },
        { "Tree.prototype[\"on open\"]", "{Tree}.prototype[\"{on open}\"]" },
        { "items[0]", "{items}[0]" },
        { "get size2", "get {size2}" },
        { "get length", "get length" },
        { "bound toString", "bound toString" },
        { "get ", "{get }" },
        { "#cartSum", "#{cartSum}" },
        { "anonymous", "anonymous" },
        { "</<", "</<" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_FRAME_FUNCTION, examples);
}

static void standard_tags_are_kept_in_any_case_and_name_space(void **state) {
    static const example examples[] = {
        { "#text", "#text" },
        { "DIV", "DIV" },
        { "html:button", "html:button" },
        { "svg:path", "svg:path" },
        { "html:my-card", "html:{my-card}" },
        { "MY-CARD", "{MY-CARD}" },
        { "my-card", "{my-card}" },
        { "a:b:c", "a:{b:c}" },
        { ":", ":" },
        { "a-very-long-name-of-an-element-that-somebody-made-up-and-that-is-longer",
          "{a-very-long-name-of-an-element-that-somebody-made-up-and-that-is-longer}" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_DESCRIPTIVE_NAME, examples);
}

static void constructors_are_no_tags(void **state) {
    static const example examples[] = {
        { "Checkout", "{Checkout}" },
        { "Header", "{Header}" },
        { "TypeError", "TypeError" },
        { "Map", "Map" },
        { "connection", "{connection}" },
        { "\303\204pfel", "{\303\204pfel}" },
        { "Proxy", "Proxy" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_DESCRIPTIVE_NAME, examples);
}

static void properties_with_a_symbol_for_a_name(void **state) {
    static const example examples[] = {
        { "<symbol>", "<symbol>" },
        { "<symbol Symbol.iterator>", "<symbol Symbol.iterator>" },
        { "<symbol secret word>", "<symbol {secret word}>" },
        { "<symbol secret", "{<symbol secret}" },
        { "<symbols>", "{<symbols>}" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_EDGE_NAME, examples);
}

/* An audit of a copy finds nothing only if what stands for a script's name means the same wherever it is read. */
static void a_script_is_replaced_alike_as_a_node_and_as_a_file(void **state) {
    static const char *const names[] = { "shop.js", "[eval]", "node:internal/secret", "/srv/shop.mjs",
                                         "evalmachine.<anonymous>" };
    ubi_anonymizer *a = must_make(KEY, UBI__WORD_DIGITS);
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char as_file[256], as_node[256];
        map(as_file, a, UBI_TEXT_SCRIPT_FILENAME, names[i]);
        map(as_node, a, UBI_TEXT_NODE_NAME, names[i]);
        assert_string_equal(as_file, as_node);
    }
    ubi_anonymizer_free(a);
}

/* ---- V8 ---------------------------------------------------------------------------------------------------------- */

static void names_of_nodes_of_v8_keep_what_is_the_engines(void **state) {
    static const example examples[] = {
        { "system / Map", "system / Map" },
        { "system / Secret", "system / {Secret}" },
        { "system / SharedFunctionInfo / loadUser", "system / SharedFunctionInfo / {loadUser}" },
        { "system / SharedFunctionInfo / get size", "system / SharedFunctionInfo / get size" },
        { "system / Script / https://shop.example/a.js", "system / Script / https://{shop.example}/{a}.js" },
        { "system / Script / ", "system / Script / " },
        { "system / Script / shop.js", "system / Script / {shop}.js" },
        { "system / Script / items.map", "system / Script / {items}.map" },
        { "system / Script / [eval]", "system / Script / [eval]" },
        { "shop.min.js", "{shop}.min.js" },
        { "shop.map", "{shop}.map" }, /* a function of an object, or a file */
        { "[eval]-wrapper", "[eval]-wrapper" },
        { "system / NativeContext / https://shop.example", "system / NativeContext / https://{shop.example}" },
        { "system / Context / scope @51205", "system / Context / scope @51205" },
        { "system / Context / scope @secret", "system / Context / {scope @secret}" },
        { "system / Code / secret (builtin)", "system / Code / {secret} (builtin)" },
        { "Node / FSReqCallback", "Node / FSReqCallback" },
        { "Node / Secret", "Node / {Secret}" },
        { "Window / https://shop.example", "Window / https://{shop.example}" },
        { "Window (prototype) / file://", "Window (prototype) / file://" },
        { "Customer (internal cache) / https://a.example", "{Customer} (internal cache) / https://{a.example}" },
        { "Object [JSGlobalProxy]", "Object [JSGlobalProxy]" },
        { "https://shop.example / DevTools console", "https://{shop.example} / DevTools console" },
        { "(GC roots)", "(GC roots)" },
        { "(secret roots)", "{(secret roots)}" },
        { "(code for loadUser)", "(code for {loadUser})" },
        { "(secret for loadUser)", "({secret} for {loadUser})" },
        { "(Array builtin handle)", "(Array builtin handle)" },
        { "(secret builtin handle)", "({secret} builtin handle)" },
        { "(ArrayFrom builtin)", "(ArrayFrom builtin)" },
        { "(ArrayFrom builtin code)", "(ArrayFrom builtin code)" },
        { "(secret builtin code)", "({secret} builtin code)" },
        { "(instruction stream for loadUser)", "(instruction stream for {loadUser})" },
        { "heap number", "heap number" },
        { "blink::HeapVectorBacking<blink::InlineItem>", "blink::HeapVectorBacking<blink::InlineItem>" },
        { "blink::\"secret\"", "{blink::}\"{secret}\"" },
        { "acme::Vault", "{acme::Vault}" },
        { "node:internal/util", "node:internal/util" },
        { "node:internal/worker/io", "node:internal/worker/io" },
        { "node:_http_agent", "node:_http_agent" },
        { "node:secret", "node:{secret}" },
        { "node:internal/secret", "node:internal/{secret}" }, /* a program can call its scripts so */
        { "node:fs/secret/", "node:fs/{secret}/" },
        { "/home/eve/app.js", "/{home}/{eve}/{app}.js" },
        { "loadUser", "{loadUser}" },
        { "HTMLDivElement", "HTMLDivElement" },
        { "get [Symbol.species]", "get [Symbol.species]" },
        { "Detached Window / https://a.example", "Detached Window / https://{a.example}" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_NODE_NAME, examples);
}

static void elements_keep_their_tags_and_lose_their_attributes(void **state) {
    static const example examples[] = {
        { "<div>", "<div>" },
        { "<div id=\"u7\" class=\"row vip\">", "<div id=\"{u7}\" class=\"{row} {vip}\">" },
        { "Detached <li class=\"row\">", "Detached <li class=\"{row}\">" },
        { "<my-card>", "<{my-card}>" },
        { "<my-card data-user=\"eve\">", "<{my-card} {data-user}=\"{eve}\">" },
        { "<a href=\"https://a.example/\"x\" b\">", "<a href=\"{https://a.example/\"x}\" {b\"}>" },
        { "<div eve", "<div {eve"
                      "}" },
        { "<div eve=1 bob>", "<div {eve=1 bob}>" },
        { "<", "<" },
        { "<>", "<>" },
        { "Detached ", "Detached " },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_NODE_NAME, examples);
    EXPECT_ALL(UBI_TEXT_CLASS_NAME, examples);
    EXPECT_ALL(UBI_TEXT_DESCRIPTIVE_NAME, examples);
}

static void types_and_classes_of_v8_are_known(void **state) {
    static const example types[] = {
        { "concatenated string", "concatenated string" },
        { "system / Map", "system / Map" },
        { "system / Script / https://a.example/b.js", "system / Script / https://{a.example}/{b}.js" },
        { "(object elements)", "(object elements)" },
        { "blink::Node", "blink::Node" },
        { "secret type", "{secret type}" },
    };
    static const example classes[] = {
        { "Customer / https://a.example", "{Customer} / https://{a.example}" },
        { "Detached <section>", "Detached <section>" },
        { "system / Context", "system / Context" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_TYPE_NAME, types);
    EXPECT_ALL(UBI_TEXT_CLASS_NAME, classes);
}

static void fields_keep_names_of_the_engine_and_slots(void **state) {
    static const example examples[] = {
        { "map", "map" },
        { "374", "374" },
        { "123456789012", "123456789012" },
        { "store_handler2_map", "store_handler2_map" },
        { "secret", "{secret}" },
        { "12 / secret", "12 / {secret}" },
        { "12 / length", "12 / length" },
        { "2 / part of key (User @12) -> value (Object @14) pair in WeakMap (table @16)",
          "2 / part of key ({User} @12) -> value (Object @14) pair in WeakMap (table @16)" },
        { "2 / part of key (a @1) -> value (b @2) pair in WeakMap (table @3)",
          "2 / part of key ({a} @1) -> value ({b} @2) pair in WeakMap (table @3)" },
        { "2 / part of key (a @x) -> value (eve) @1) -> value (b @2) pair in WeakMap (table @3)",
          "2 / part of key ({a @x) -> value (eve)} @1) -> value ({b} @2) pair in WeakMap (table @3)" },
        { "2 / part of key (a @1) -> value (b @2) pair in WeakMap (table @eve)",
          "2 / {part of key (a @1) -> value (b @2) pair in WeakMap (table @eve)}" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_FIELD_NAME, examples);
}

static void contents_of_strings_are_words(void **state) {
    static const example examples[] = {
        { "length", "length" },
        { "(concatenated string)", "(concatenated string)" },
        { "Hello Eve, your code is 1234", "{Hello Eve, your code is 1234}" },
        { "7", "{7}" },
        { "", "" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_STRING, examples);
}

static void urls_keep_scheme_port_depth_and_extension(void **state) {
    static const example examples[] = {
        { "https://shop.example/admin/users.min.js", "https://{shop.example}/{admin}/{users}.min.js" },
        { "https://shop.example:8443/a.js?v=3#x", "https://{shop.example}:8443/{a}.js?{v=3#x}" },
        { "http://127.0.0.1:8123/app.js", "http://127.0.0.1:8123/{app}.js" },
        { "https://eve:pw@shop.example", "https://{eve:pw@shop.example}" },
        { "https://h.example:123456/", "https://{h.example:123456}/" },
        { "https://h.example?q", "https://{h.example}?{q}" },
        { "file:///home/eve/a.js", "file:///{home}/{eve}/{a}.js" },
        { "resource://gre/modules/Secret.sys.mjs", "resource://gre/{modules}/{Secret}.sys.mjs" },
        { "webpack:///./src/../a.tsx", "webpack:///./{src}/../{a}.tsx" },
        { "moz-extension://5b1f/x.secret", "moz-extension://{5b1f}/{x.secret}" },
        { "secret://h/a", "{secret}://{h}/{a}" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_FRAME_SOURCE, examples);
}

static void opaque_urls_are_one_word_behind_the_scheme(void **state) {
    static const example examples[] = {
        { "data:text/javascript,alert(1)", "data:{text/javascript,alert(1)}" },
        { "blob:https://h.example/5b1f", "blob:{https://h.example/5b1f}" },
        { "about:blank", "about:blank" },
        { "about:secrets", "about:{secrets}" },
        { "javascript:", "javascript:" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_FRAME_SOURCE, examples);
}

static void files_without_a_scheme_are_paths(void **state) {
    static const example examples[] = {
        { "self-hosted", "self-hosted" },
        { "script:12", "script:12" },
        { "script:secret", "{script}:{secret}" },
        { "[System Principal]", "[System Principal]" },
        { "app.js", "{app}.js" },
        { "/srv/app/", "/{srv}/{app}/" },
        { "C:\\Users\\eve\\a.js", "{C:}\\{Users}\\{eve}\\{a}.js" },
        { ".js", ".js" },
        { "a..js", "{a.}.js" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_SCRIPT_FILENAME, examples);
}

static void code_made_by_code_says_so(void **state) {
    static const example examples[] = {
        { "http://h/a.js line 70 > eval", "http://{h}/{a}.js line 70 > eval" },
        { "a.js line 1 > eval line 22 > Function", "{a}.js line 1 > eval line 22 > Function" },
        { "a.js line 1 > secret", "{a.js line 1 > secret}" },
        { "a.js line x > eval", "{a.js line x > eval}" },
        { "a.js line  > eval", "{a.js line  > eval}" },
        { " > eval", "{ > eval}" },
        { "resource://gre/l.js -> file:///b.js", "resource://gre/{l}.js -> file:///{b}.js" },
        { "a.js -> b.js line 2 > eval", "{a}.js -> {b}.js line 2 > eval" },
        { " -> ", " -> " },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_FRAME_SOURCE, examples);
}

/* ---- replacements ----------------------------------------------------------------------------------------------- */

/* Computed by Python: hash(word, key=hash(key).digest()), where hash is hashlib.blake2b with digest_size=32; the first
 * 64 bits as a little-endian number, its digits of base 32 from the lowest on. */
static void a_replacement_is_the_keyed_hash_of_the_word(void **state) {
    ubi_anonymizer *a = must_make(KEY, UBI__WORD_DIGITS);
    (void)state;
    expect(a, UBI_TEXT_EDGE_NAME, "makeDom", "x_smdx4x7r24");
    expect(a, UBI_TEXT_FRAME_FUNCTION, "secret", "x_vnf7dd6a3m");
    expect(a, UBI_TEXT_FRAME_SOURCE, "https://shop.example/", "https://x_xs9zttwqt9/");
    ubi_anonymizer_free(a);
}

static void another_key_gives_other_replacements(void **state) {
    ubi_anonymizer *a = must_make(KEY, UBI__WORD_DIGITS), *b = must_make(KEY "!", UBI__WORD_DIGITS);
    ubi_anonymizer *random[2] = { NULL, NULL };
    char of_a[256], of_b[256], of_random[2][256];
    (void)state;
    map(of_a, a, UBI_TEXT_EDGE_NAME, "makeDom");
    map(of_b, b, UBI_TEXT_EDGE_NAME, "makeDom");
    assert_string_not_equal(of_a, of_b);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ubi_anonymizer_new(&random[i], NULL), UBI_OK);
        map(of_random[i], random[i], UBI_TEXT_EDGE_NAME, "makeDom");
        ubi_anonymizer_free(random[i]);
    }
    assert_string_not_equal(of_random[0], of_random[1]);
    ubi_anonymizer_free(a);
    ubi_anonymizer_free(b);
}

static void words_whose_digits_collide_still_get_different_replacements(void **state) {
    enum { N = 200 };
    static char results[N][256];
    ubi_anonymizer *a = must_make(KEY, 1);
    (void)state;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < N; i++) {
            char word[16], result[256];
            snprintf(word, sizeof word, "word%d", i);
            map(result, a, UBI_TEXT_EDGE_NAME, word);
            if (round == 1)
                assert_string_equal(result, results[i]);
            strcpy(results[i], result);
            for (int j = 0; j < i; j++)
                assert_string_not_equal(result, results[j]);
        }
    assert_int_equal(ubi_anonymizer_word_count(a), N);
    ubi_anonymizer_free(a);
}

static void no_public_name_looks_like_a_replacement(void **state) {
    ubi_anonymizer *a = must_make(KEY, UBI__WORD_DIGITS);
    (void)state;
    for (uint32_t i = 0; i < ubi__strtab_count(&a->names.names); i++) {
        ubi_text name = ubi__strtab_get(&a->names.names, i);
        assert_true(name.len > 0);
        assert_false(name.len >= 2 && memcmp(name.ptr, "x_", 2) == 0);
    }
    assert_int_equal(ubi_anonymizer_word_count(a), 0);
    ubi_anonymizer_free(a);
}

static void every_name_on_a_list_is_kept_in_its_role(void **state) {
    static const struct {
        unsigned list;
        ubi_text_role role;
    } roles[] = {
        { UBI__NAMES_TYPE, UBI_TEXT_TYPE_NAME },       { UBI__NAMES_CLASS, UBI_TEXT_CLASS_NAME },
        { UBI__NAMES_MEMBER, UBI_TEXT_EDGE_NAME },     { UBI__NAMES_TAG, UBI_TEXT_DESCRIPTIVE_NAME },
        { UBI__NAMES_FILE, UBI_TEXT_SCRIPT_FILENAME },
    };
    ubi_anonymizer *a = must_make(KEY, UBI__WORD_DIGITS);
    char name[256];
    (void)state;
    for (uint32_t i = 0; i < ubi__strtab_count(&a->names.names); i++)
        for (size_t r = 0; r < sizeof roles / sizeof *roles; r++) {
            ubi_text text = ubi__strtab_get(&a->names.names, i);
            snprintf(name, sizeof name, "%.*s", (int)text.len, text.ptr);
            if (a->names.lists.at[i] & roles[r].list)
                expect_kept(a, roles[r].role, name);
        }
    ubi_anonymizer_free(a);
}

/* ---- errors ----------------------------------------------------------------------------------------------------- */

static void missing_text_stays_missing(void **state) {
    ubi_anonymizer *a = must_make(KEY, UBI__WORD_DIGITS);
    ubi_text out = { "x", 1 };
    (void)state;
    assert_int_equal(ubi_anonymizer_text(a, UBI_TEXT_EDGE_NAME, (ubi_text){ NULL, 0 }, &out), UBI_OK);
    assert_null(out.ptr);
    ubi_anonymizer_free(a);
}

static void wrong_options_and_roles_are_refused(void **state) {
    ubi_anonymizer *a = NULL;
    ubi_anonymizer_options options = with_key("15 bytes of key", NULL);
    ubi_text out;
    (void)state;
    assert_int_equal(ubi_anonymizer_new(&a, &options), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "the key has 15 bytes; expected at least 16");
    options = with_key(KEY, NULL);
    options.version = 9;
    assert_int_equal(ubi_anonymizer_new(&a, &options), UBI_EINVAL);
    assert_null(a);
    a = must_make(KEY, UBI__WORD_DIGITS);
    assert_int_equal(ubi_anonymizer_text(a, (ubi_text_role)UBI_TEXT_ROLE_COUNT, ubi__text("a"), &out), UBI_EINVAL);
    ubi_anonymizer_free(a);
    ubi_anonymizer_free(NULL);
}

static ubi_status anonymize_some(void *payload, const ubi_allocator *allocator) {
    (void)payload;
    ubi_anonymizer_options options = with_key(KEY, allocator);
    ubi_anonymizer *a = NULL;
    ubi_text out;
    UBI_TRY(ubi_anonymizer_new(&a, &options));
    ubi_status status = UBI_OK;
    for (int i = 0; status == UBI_OK && i < 100; i++) {
        char url[80];
        snprintf(url, sizeof url, "https://host%d.example/a%d/b.js line %d > eval", i, i, i);
        status = ubi_anonymizer_text(a, UBI_TEXT_FRAME_SOURCE, ubi__text(url), &out);
    }
    ubi_anonymizer_free(a);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    fail_each_allocation(anonymize_some, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_of_the_engine_are_kept),
        cmocka_unit_test(standard_classes_and_their_companions_are_kept),
        cmocka_unit_test(edges_of_the_engine_and_of_the_library_are_kept),
        cmocka_unit_test(properties_of_the_program_are_replaced),
        cmocka_unit_test(numbers_are_kept_while_they_can_only_be_positions),
        cmocka_unit_test(names_of_functions_keep_their_structure),
        cmocka_unit_test(standard_tags_are_kept_in_any_case_and_name_space),
        cmocka_unit_test(constructors_are_no_tags),
        cmocka_unit_test(properties_with_a_symbol_for_a_name),
        cmocka_unit_test(a_script_is_replaced_alike_as_a_node_and_as_a_file),
        cmocka_unit_test(names_of_nodes_of_v8_keep_what_is_the_engines),
        cmocka_unit_test(elements_keep_their_tags_and_lose_their_attributes),
        cmocka_unit_test(types_and_classes_of_v8_are_known),
        cmocka_unit_test(fields_keep_names_of_the_engine_and_slots),
        cmocka_unit_test(contents_of_strings_are_words),
        cmocka_unit_test(urls_keep_scheme_port_depth_and_extension),
        cmocka_unit_test(opaque_urls_are_one_word_behind_the_scheme),
        cmocka_unit_test(files_without_a_scheme_are_paths),
        cmocka_unit_test(code_made_by_code_says_so),
        cmocka_unit_test(a_replacement_is_the_keyed_hash_of_the_word),
        cmocka_unit_test(another_key_gives_other_replacements),
        cmocka_unit_test(words_whose_digits_collide_still_get_different_replacements),
        cmocka_unit_test(no_public_name_looks_like_a_replacement),
        cmocka_unit_test(every_name_on_a_list_is_kept_in_its_role),
        cmocka_unit_test(missing_text_stays_missing),
        cmocka_unit_test(wrong_options_and_roles_are_refused),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
