#!/bin/sh
# SPDX-License-Identifier: MIT
#
# probe.sh DIR: prints the feature header of the QuickJS source in DIR: which members its structures have, never which
# version it says it is.
#
# What the tools cannot do without is looked for, too: its absence is said in words here, where the compiler would give
# a page of errors, or a hook would silently never fire.
set -eu
dir=${1:?usage: probe.sh DIR}
[ -f "$dir/quickjs.c" ] && [ -f "$dir/quickjs.h" ] || {
    echo "probe: $dir has no quickjs.c and quickjs.h: it is not the source of QuickJS" >&2
    exit 1
}

# The words of a structure's declaration.
structure() {
    sed -e 's|//.*||' -e 's|/\*.*\*/||' "$dir/quickjs.c" "$dir/quickjs.h" |
        awk -v name="$1" '
            !inside && $0 ~ "(^|[ \t])struct " name "[ \t]*[{]" { inside = 1 }
            inside { print }
            inside && /^}/ { exit }'
}
has_word() { # word: in standard input, as a whole
    grep -q -w -e "$1"
}

faults=0
fault() {
    echo "probe: $1" >&2
    faults=$((faults + 1))
}
need_function() { # name, what for
    grep -q -E -e "^([A-Za-z_].*[ *])?$1\(" "$dir/quickjs.c" ||
        fault "quickjs.c has no function $1, which the tools need to $2"
}
need_members() { # structure, members...
    name=$1
    shift
    text=$(structure "$name")
    [ -n "$text" ] || {
        fault "quickjs.c has no structure $name, which the tools need to walk the heap"
        return 0
    }
    for member; do
        printf '%s\n' "$text" | has_word "$member" ||
            fault "struct $name has no member $member, which the tools need to walk the heap"
    done
}

need_function js_malloc_rt "guard a frozen heap"
need_function js_realloc_rt "guard a frozen heap"
need_function js_free_rt "guard a frozen heap"
need_function add_gc_object "hear of births"
need_function free_gc_object "hear of deaths"
need_function JS_FreeContext "hear of the death of realms"
need_function JS_RunGC "hear of collections"
need_function gc_decref "hear of collections"
need_function gc_free_cycles "hear of collections"
need_function JS_MarkValue "walk classes"
need_function mark_children "walk realms"
need_function js_mark_module_def "walk modules"
need_function JS_ThrowOutOfMemory "hear of exhausted memory"
need_function JS_CallInternal "know where objects are allocated"
need_function JS_Call "hear of runs of scripts"
need_function JS_EvalFunctionInternal "hear of runs of scripts"
need_function JS_ExecutePendingJob "hear of jobs"
need_function async_func_resume "put stacks of scripts and native code in order"
need_function promise_reaction_job "hear of jobs"
need_function js_promise_resolve_thenable_job "hear of jobs"
need_function perform_promise_then "know who waits for promises"
need_function js_parse_program "hear of parsing"
need_function emit_op "know where in the text objects are made"
need_function next_token "know where in the text objects are made"
need_function js_parse_property_name "know where in the text objects are made"
need_function js_create_function "hear of parsing"
need_function __JS_EvalInternal "hear of parsing"
need_members JSRuntime gc_obj_list tmp_obj_list gc_zero_ref_count_list gc_phase context_list job_list atom_array \
    atom_size atom_hash shape_hash class_array class_count current_stack_frame current_exception \
    interrupt_handler interrupt_opaque in_out_of_memory
need_members JSContext rt link global_obj class_proto interrupt_counter
need_members JSStackFrame prev_frame cur_func arg_buf var_buf arg_count cur_pc cur_sp
need_members JSGCObjectHeader link
need_members JSObject class_id fast_array shape prop
need_members JSShape proto prop_count
need_members JSVarRef is_detached pvalue
need_members JSFunctionBytecode byte_code_buf byte_code_len func_name vardefs closure_var arg_count var_count realm cpool \
    cpool_count closure_var_count
need_members JSString len is_wide_char atom_type
need_members JSMapState is_weak records record_count hash_table
need_members JSMapRecord empty link key value
need_members JSModuleDef module_name module_ns func_obj export_entries req_module_entries import_entries
need_members JSJobEntry link job_func argc argv
need_members JSParseState ctx filename cur_func
if grep -q -w -e JSInlineCache "$dir/quickjs.c"; then
    fault "quickjs.c has inline caches (JSInlineCache), which hold shapes and atoms where no walk of the tools gets to"
fi
[ "$faults" -eq 0 ] || {
    echo "probe: $dir is not a QuickJS that the tools know; see docs/how-to/build-with-your-own-quickjs.md" >&2
    exit 1
}

features=""
feature() { # name, 1 or 0
    echo "#define $1 $2"
    [ "$2" -eq 0 ] || features="$features $1"
}
text() { # name, basic regular expression that occurs in quickjs.c or quickjs.h when the engine has it
    if grep -q -e "$2" "$dir/quickjs.c" "$dir/quickjs.h"; then feature "$1" 1; else feature "$1" 0; fi
}
member() { # name, structure, member
    if structure "$2" | has_word "$3"; then feature "$1" 1; else feature "$1" 0; fi
}

echo "/* Made by probe.sh from the engine's source. */"
text UBI_RC_IN_BLOCK '[ *]js_rc('
text UBI_FREE_VALUE_APART '^static void js_free_value_rt(JSRuntime \*rt, JSValue v)$'
text UBI_MODULE_GC 'JS_GC_OBJ_TYPE_MODULE'
text UBI_ROPE 'JS_TAG_STRING_ROPE'
member UBI_STR_KIND JSString kind
text UBI_STR_INDIRECT 'JS_STRING_\(KIND_\)\{0,1\}INDIRECT'
text UBI_STR8_FN '[ *]str8(JSString'
member UBI_STR_WEAKLIST JSString first_weak_ref
text UBI_BF 'include "libbf.h"'
text UBI_BFDEC 'bfdec_t num;'
text UBI_BIGNUM_CLASSES 'JS_CLASS_BIG_DECIMAL,'
member UBI_ASYNC_STATE_GC JSAsyncFunctionState header
member UBI_JOB_REALM JSJobEntry realm
text UBI_DEBUG_STRUCT '} debug;'
member UBI_HAS_DEBUG_BIT JSFunctionBytecode has_debug
member UBI_UNCATCHABLE_BIT JSObject is_uncatchable_error
if sed -n '/^static int find_line_num(/,/{/p' "$dir/quickjs.c" | grep -q col; then find_col=1; else find_col=0; fi
feature UBI_FIND_COL "$find_col"
member UBI_FORIN_TAB JSForInIterator tab_atom
member UBI_VARREF_ASYNC JSVarRef async_func
member UBI_VARREF_FRAME JSVarRef stack_frame
member UBI_VARREF_CORO JSVarRef is_coro
text UBI_ABUF_REALLOC 'js_array_buffer_realloc'
text UBI_MAPPED_REFS 'u\.array\.u\.var_refs'
member UBI_MALLOC_CTX JSRuntime malloc_ctx
# Whether the program's functions see every block, and whose it is: else js_malloc_rt and related functions are hooked.
if grep -q -e '(\*js_malloc)(JSMallocState \*' "$dir/quickjs.h" && ! structure JSRuntime | has_word malloc_ctx; then
    block_hooks=0
else
    block_hooks=1
fi
feature UBI_BLOCK_HOOKS "$block_hooks"
text UBI_BYTECODE_BUFFERS '^static void \*js_realloc_bytecode_rt('
text UBI_CALLOC '^void \*js_calloc_rt('
text UBI_FINREC_LIST 'JSFinRecEntry'
member UBI_FINREC_REALM JSFinalizationRegistryData realm
member UBI_FINREC_ENTRY_REALM JSFinRecEntry ctx
text UBI_WEAKREF_HEADER 'JSWeakRefHeader'
member UBI_ITERATOR_BUFFER JSIteratorHelperData buf
member UBI_DISPOSABLE_STACK JSDisposableStack resources
text UBI_CLASS_WEAKREF 'JS_CLASS_WEAK_REF,'
text UBI_WEAKREF_SENTINEL 'js_weakref_sentinel'
text UBI_OBJ_FIRST_WEAK 'JSWeakRefRecord \*first_weak_ref;'
text UBI_GLOBAL_OBJECT_CLASS 'JS_CLASS_GLOBAL_OBJECT,'
text UBI_MAP_HASH_SINGLE 'JSMapRecord \*\*hash_table'
text UBI_CLASS_ID_OF_RUNTIME 'JS_NewClassID(JSRuntime \*'
text UBI_NEW_PROXY '^JSValue JS_NewProxy('
text UBI_API_ASYNC_EVAL 'JS_EVAL_FLAG_ASYNC'
if sed -n '/^static __exception int js_parse_program(/,/^}/p' "$dir/quickjs.c" | grep -q JS_ATOM_value; then value=1; else value=0; fi
feature UBI_API_ASYNC_OBJECT "$value"
text UBI_API_BOOL '#define JS_BOOL'
text UBI_API_ERROR_ALONE 'JS_IsError(JSValue'
text UBI_API_BIG_INT_ALONE 'JS_IsBigInt(JSValue'
text UBI_API_ARRAY_ALONE 'JS_IsArray(JSValue'
text UBI_API_ARRAY_FROM 'JS_NewArrayFrom(JSContext \*'
text UBI_API_MALLOC_STATE '(\*js_malloc)(JSMallocState \*'
text UBI_API_MODULE_ATTRS 'JS_SetModuleLoaderFunc2'
member UBI_MODULE_ATTRS JSReqModuleEntry attributes
text UBI_SHAPE_ALLOC 'get_alloc_from_shape'
text UBI_SHAPE_PROP 'get_shape_prop('
text UBI_FRAME_BLOCK 'js_free_rt(rt, sf->arg_buf)'
text UBI_SOURCE_POS '^static void emit_source_pos('
text UBI_SOURCE_LOC 'OP_source_loc'
member UBI_FUNCTION_COL JSFunctionBytecode col_num
text UBI_OP_INIT_CTOR 'OP_init_ctor'
text UBI_OP_FOR_AWAIT_OF_NEXT 'OP_for_await_of_next'
text UBI_FRAME_MODE 'sf->js_mode = b->js_mode;'

# The first words of calls, by which hooks.h tells them from definitions: what a call with such a word becomes.
hooks=$(dirname "$0")/adapter
becomes() { # beginning of a macro's name, word
    case $1 in
    UBI_FIRST_ | UBI_MAKES_ | UBI_RUNNING_) echo "$2" ;;
    UBI_NEW_OBJECT_) echo "(JS_NewObject)($2" ;;
    UBI_NEW_OBJECT_OF_) echo "(JS_NewObjectProtoClass)($2" ;;
    UBI_NEW_PROXY_) echo "ubi__new_proxy(UBI_IN(\"js_proxy_constructor\"), this_val, $2" ;;
    UBI_TRIGGER_GC_) echo "UBI__TRIGGER_GC($2" ;;
    UBI_ALLOC_STRING_) echo "UBI__ALLOC_STRING($2" ;;
    UBI_CLONE_SHAPE_) echo "UBI__MAKES_SHAPE(js_clone_shape, $2" ;;
    UBI_RESIZE_PROPERTIES_) echo "UBI__RESIZE_PROPERTIES($2" ;;
    UBI_EXPAND_ARRAY_) echo "UBI__EXPAND_ARRAY($2" ;;
    UBI_ADD_RECORD_) echo "UBI__ADD_RECORD($2" ;;
    UBI_CREATE_FROM_CTOR_) echo "ubi__create_from_ctor($2" ;;
    UBI_FREE_GC_OBJECT_) echo "ubi__free_gc_object($2" ;;
    UBI_RUN_GC_) echo "ubi__run_gc(__func__, $2" ;;
    UBI_MALLOC_RT_) echo "ubi__malloc_rt(UBI_IN_REALLOC, $2" ;;
    UBI_REALLOC_RT_) echo "ubi__realloc_rt($2" ;;
    UBI_FREE_RT_) echo "ubi__free_rt(UBI_IN_REALLOC, $2" ;;
    UBI_CALLOC_RT_) echo "ubi__calloc_rt($2" ;;
    UBI_MARK_VALUE_) echo "ubi__mark_value($2" ;;
    UBI_MARK_MODULE_) echo "ubi__mark_module($2" ;;
    UBI_OUT_OF_MEMORY_) echo "ubi__out_of_memory($2" ;;
    UBI_CALL_) echo "ubi__engine_call($2" ;;
    UBI_CALL_INTERNAL_) echo "UBI__CALL_INTERNAL($2" ;;
    UBI_EXECUTE_JOB_) echo "ubi__engine_execute_job($2" ;;
    UBI_EVAL_FUNCTION_) echo "ubi__eval_function($2" ;;
    UBI_PROMISE_THEN_) echo "ubi__promise_then($2" ;;
    UBI_PARSE_PROGRAM_) echo "ubi__parse_program($2" ;;
    UBI_PARSE_OBJECT_) echo "UBI__CONSTRUCT(js_parse_object_literal, $2" ;;
    UBI_PARSE_ARRAY_) echo "UBI__CONSTRUCT(js_parse_array_literal, $2" ;;
    UBI_PARSE_CLASS_) echo "UBI__CONSTRUCT(js_parse_class, $2" ;;
    UBI_PARSE_PATTERN_) echo "UBI__CONSTRUCT(js_parse_destructuring_element, $2" ;;
    UBI_PARSE_TARGET_) echo "UBI__CONSTRUCT(js_parse_left_hand_side_expr, $2" ;;
    UBI_PARSE_EXPRESSION_) echo "UBI__CONSTRUCT(js_parse_assign_expr2, $2" ;;
    UBI_PARSE_STATEMENT_) echo "UBI__CONSTRUCT(js_parse_statement_or_decl, $2" ;;
    UBI_PARSE_TEMPLATE_) echo "ubi__parse_template($2" ;;
    UBI_NEXT_TOKEN_) echo "ubi__next_token($2" ;;
    UBI_PARSE_PROPERTY_NAME_) echo "ubi__parse_property_name($2" ;;
    UBI_EMIT_OP_) echo "ubi__emit_op($2, UBI__EMITTER" ;;
    UBI_EMIT_RETURN_) echo "ubi__emit_return($2" ;;
    UBI_PARSE_FUNCTION_) echo "UBI__PARSE_FUNCTION($2" ;;
    UBI_NEW_CLASS_ID_) echo "ubi__engine_new_class_id($2" ;;
    UBI_CREATE_FUNCTION_) echo "ubi__create_function(__builtin_strcmp(__func__, \"__JS_EvalInternal\") == 0, $2" ;;
    esac
}
echo "/* Calls whose first argument begins with another word than usual. */"
sed -n 's/^#define \([A-Za-z_]*\)(first.*\(UBI_[A-Z_]*_\)##first.*/\1 \2/p' "$hooks/hooks.h" "$hooks/block_hooks.h" |
    while read -r function macro; do
        grep -o -w -e "$function([A-Za-z_][A-Za-z_0-9]*" "$dir/quickjs.c" | sed "s/.*(/$macro /"
    done | sort -u |
    while read -r macro word; do
        grep -q -e "^#define $macro$word " "$hooks/hooks.h" "$hooks/block_hooks.h" || echo "#define $macro$word $(becomes "$macro" "$word")"
    done

echo "/* Words of the engine that are spelt in two ways. */"
if grep -q 'JS_STRING_KIND_SLICE' "$dir/quickjs.c"; then kind=JS_STRING_KIND; else kind=JS_STRING; fi
echo "#define UBI_STRING_SLICE ${kind}_SLICE"
echo "#define UBI_STRING_INDIRECT ${kind}_INDIRECT"

# Their data is one block.
echo "/* Classes that only some engines have. */"
printf '#define UBI_ONE_BLOCK_CLASSES(C)'
for name in FLOAT_ENV C_CLOSURE ITERATOR_CONCAT ITERATOR_HELPER ITERATOR_WRAP CALL_SITE; do
    if [ $name = ITERATOR_HELPER ] && structure JSIteratorHelperData | has_word buf; then continue; fi
    if grep -q -w -e "JS_CLASS_$name" "$dir/quickjs.c"; then printf ' C(JS_CLASS_%s)' "$name"; fi
done
echo

echo "/* Values and shapes that a realm names. */"
printf '#define UBI_REALM_FIELDS(F)'
structure JSContext | sed -n 's/^[ \t]*JSValue \([a-z_0-9]*\);.*/ F(\1)/p' | tr -d '\n'
echo
printf '#define UBI_REALM_SHAPES(F)'
structure JSContext | sed -n 's/^[ \t]*JSShape \*\([a-z_0-9]*\);.*/ F(\1)/p' | tr -d '\n'
echo
echo "#define UBI_FEATURES \"${features# }\""
