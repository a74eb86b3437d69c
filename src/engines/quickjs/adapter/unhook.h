/* SPDX-License-Identifier: MIT
 *
 * unhook.h: behind the engine's source, its names mean its functions again.
 */
#undef malloc
#undef free
#undef realloc
#undef list_add_tail
#undef list_del
#undef init_list_head
#undef free_gc_object
#undef JS_RunGC
#undef JS_MarkValue
#undef js_mark_module_def
#undef JS_ThrowOutOfMemory
#undef JS_NewArray
#undef js_create_array
#undef js_create_array_free
#undef js_closure
#undef js_build_arguments
#undef js_build_mapped_arguments
#undef js_build_rest
#undef js_regexp_constructor_internal
#undef js_op_define_class
#undef js_for_in_start
#undef js_for_of_start
#undef js_append_enumerate
#undef JS_CopyDataProperties
#undef JS_ToObject
#undef js_dynamic_import
#undef js_create_iterator_result
#undef JS_NewObjectProto
#undef JS_GetProperty
#undef JS_GetPropertyValue
#undef JS_GetPropertyInternal
#undef JS_SetPropertyValue
#undef JS_SetPropertyInternal
#undef js_add_slow
#undef js_binary_arith_slow
#undef js_unary_arith_slow
#undef js_relational_slow
#undef js_eq_slow
#undef js_for_of_next
#undef js_operator_instanceof
#undef js_create_from_ctor
#undef JS_NewObject
#undef JS_NewObjectProtoClass
