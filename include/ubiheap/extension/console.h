/* SPDX-License-Identifier: MIT
 *
 * ubiheap/extension/console.h: a target's values and messages as a debugger's console shows them: evaluate, look inside, listen.
 *
 *     ubi_console console;
 *     ubi_evaluation got = UBI_EVALUATION_INIT;
 *     ubi_target_open_console(&console, target, NULL, NULL);
 *     ubi_console_evaluate(&got, console, (ubi_text){ "new Map()", 9 }, false);
 *     if (got.value.kind == UBI_VALUE_OBJECT)
 *         ubi_console_describe(&object, console, got.value.handle);
 *     ubi_console_close(console);
 *
 * A value is described as plain data. Objects, symbols and texts that were cut are also held: the description has a number, the *handle*,
 * by which more can be asked. The console keeps them alive until they are released, or it is closed.
 *
 * Only evaluating, and reading one property (ubi_console_get), runs the program's code. All else looks at values without calling getters,
 * traps of proxies or methods: what can only be found by a call is not shown.
 *
 * Threads: all belongs to the thread that runs the target, at a safe point or within on_message.
 *
 * Extension point: an engine implements ubi_console_ops. May change between minor versions.
 */
#ifndef UBIHEAP_CONSOLE_H
#define UBIHEAP_CONSOLE_H

#include <ubiheap/core/base.h>
#include <ubiheap/extension/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- values --------------------------------------------------------------------------------------------------------- */

/** The number of a held value; 0: it is not held. Of one console. */
typedef uint64_t ubi_value_handle;

typedef enum ubi_value_kind {
    UBI_VALUE_UNDEFINED,
    UBI_VALUE_NULL,
    UBI_VALUE_BOOLEAN,
    UBI_VALUE_NUMBER,
    UBI_VALUE_BIG_INT,
    UBI_VALUE_STRING,
    UBI_VALUE_SYMBOL,
    UBI_VALUE_OBJECT
} ubi_value_kind;

/** Units of a string that a description has at most; of a longer one it has the beginning. */
#define UBI_VALUE_TEXT_UNITS 10000

/** A value, described. Texts are borrowed: of results until the next call with the console, in callbacks during the call. */
typedef struct ubi_value {
    ubi_value_kind kind;
    bool is_true;            /**< BOOLEAN */
    double number;           /**< NUMBER */
    ubi_text text;           /**< BIG_INT: digits; STRING: it, perhaps cut; SYMBOL: its description, NULL text: none */
    uint64_t length_units;   /**< STRING: all of it, in UTF-16 units */
    ubi_value_handle handle; /**< OBJECT, SYMBOL, and STRING that was cut */
} ubi_value;

/** What an object is, as far as consoles show it differently. */
typedef enum ubi_object_kind {
    UBI_OBJECT_PLAIN, /**< by its properties */
    UBI_OBJECT_ARRAY, /**< by its elements */
    UBI_OBJECT_FUNCTION,
    UBI_OBJECT_ERROR,
    UBI_OBJECT_PROXY, /**< by its target and handler: looking at properties would call the handler */
    UBI_OBJECT_DATE,
    UBI_OBJECT_REG_EXP,
    UBI_OBJECT_MAP, /**< by its entries, as the next three */
    UBI_OBJECT_SET,
    UBI_OBJECT_WEAK_MAP, /**< entries whose keys live */
    UBI_OBJECT_WEAK_SET,
    UBI_OBJECT_PROMISE,
    UBI_OBJECT_ARRAY_BUFFER,
    UBI_OBJECT_WRAPPER /**< made of a primitive, such as new String("a") */
} ubi_object_kind;

typedef enum ubi_promise_state { UBI_PROMISE_PENDING, UBI_PROMISE_FULFILLED, UBI_PROMISE_REJECTED } ubi_promise_state;

typedef struct ubi_object_description {
    uint32_t struct_bytes; /**< UBI_OBJECT_DESCRIPTION_INIT */
    ubi_object_kind kind;
    ubi_text class_name;     /**< such as "Map", or the name of the constructor in its prototype */
    uint64_t property_count; /**< own ones with names, elements included */
    uint64_t length;         /**< ARRAY */
    bool is_extensible, is_sealed, is_frozen;
    ubi_text name;    /**< ERROR, FUNCTION; NULL text: none */
    ubi_text message; /**< ERROR; NULL text: none */
    ubi_text stack;   /**< ERROR: as the engine writes it; NULL text: none */
    ubi_text source;  /**< ERROR: where it was made; FUNCTION: where it is defined. NULL text: unknown */
    uint32_t line;    /**< from 1; 0: unknown */
    uint32_t column;  /**< from 1; 0: unknown */
    bool is_async;    /**< FUNCTION, as the next two */
    bool is_generator;
    bool is_class;
    double time_ms;             /**< DATE: since the epoch; not a number if it is invalid */
    ubi_text pattern;           /**< REG_EXP, without slashes */
    char flags[16];             /**< REG_EXP, such as "gi" */
    uint64_t entry_count;       /**< MAP, SET, WEAK_MAP, WEAK_SET */
    const ubi_text *parameters; /**< FUNCTION of a script: parameters[parameter_count]; NULL text: it has no name */
    uint32_t parameter_count;
    ubi_promise_state promise_state; /**< PROMISE */
    uint64_t byte_length;            /**< ARRAY_BUFFER, typed ARRAY */
    bool is_typed_array;             /**< ARRAY */
    bool has_cause;                  /**< ERROR: its slots have it */
} ubi_object_description;

#define UBI_OBJECT_DESCRIPTION_INIT                                                                                    \
    { .struct_bytes = sizeof(ubi_object_description) }

/** Which own properties. */
typedef enum ubi_property_selection {
    UBI_PROPERTIES_NAMED = 1 << 0,   /**< with names that are not array indices */
    UBI_PROPERTIES_INDEXED = 1 << 1, /**< elements */
    UBI_PROPERTIES_SYMBOLS = 1 << 2
} ubi_property_selection;

/** One own property. */
typedef struct ubi_property {
    ubi_text name;    /**< of a symbol its description, NULL text: none */
    ubi_value symbol; /**< UBI_VALUE_SYMBOL, or UBI_VALUE_UNDEFINED where the key is a name */
    bool is_configurable, is_enumerable, is_writable;
    bool is_accessor;
    ubi_value value;          /**< unless is_accessor */
    ubi_value getter, setter; /**< is_accessor: functions or undefined */
} ubi_property;
/** False: no more. May ask the console about values. */
typedef bool (*ubi_property_fn)(void *payload, const ubi_property *property);

/** One entry of a collection. */
typedef struct ubi_entry {
    ubi_value key; /**< MAP, WEAK_MAP; else undefined */
    ubi_value value;
} ubi_entry;
/** False: no more. May ask the console about values. */
typedef bool (*ubi_entry_fn)(void *payload, const ubi_entry *entry);

/** What some objects hold beside properties and entries. */
typedef struct ubi_object_slots {
    ubi_value
        value; /**< PROMISE: what it settled with; PROXY: its target, null if it is revoked; WRAPPER: its primitive; ERROR: its cause */
    ubi_value handler; /**< PROXY */
} ubi_object_slots;

/** A function that ran, and where it was. */
typedef struct ubi_console_frame {
    ubi_text function; /**< NULL text: it has no name */
    ubi_text source;
    uint32_t line, column; /**< from 1; 0: unknown */
} ubi_console_frame;

/** Frames that a stack has at most, youngest first. */
#define UBI_CONSOLE_FRAMES 60

/** The result of a text that was evaluated. */
typedef struct ubi_evaluation {
    uint32_t struct_bytes; /**< UBI_EVALUATION_INIT */
    bool has_thrown;
    ubi_value value;  /**< the result, or what was thrown */
    ubi_text message; /**< has_thrown: in words, such as "Error: bad" */
    ubi_text source;  /**< has_thrown: where, if that is known; else NULL text */
    uint32_t line, column;
    const ubi_console_frame *frames; /**< has_thrown: frames[frame_count], of an error that has a stack */
    uint32_t frame_count;
} ubi_evaluation;

#define UBI_EVALUATION_INIT                                                                                            \
    { .struct_bytes = sizeof(ubi_evaluation) }

/* ---- messages ------------------------------------------------------------------------------------------------------- */

typedef enum ubi_console_level {
    UBI_CONSOLE_LOG,
    UBI_CONSOLE_INFO,
    UBI_CONSOLE_WARN,
    UBI_CONSOLE_ERROR,
    UBI_CONSOLE_DEBUG,
    UBI_CONSOLE_TRACE,
    UBI_CONSOLE_UNCAUGHT, /**< not from a console: an error that nothing caught, or a rejection that nothing handled */
    UBI_CONSOLE_DIR,
    UBI_CONSOLE_TABLE,
    UBI_CONSOLE_ASSERT, /**< one that did not hold */
    UBI_CONSOLE_GROUP,
    UBI_CONSOLE_GROUP_COLLAPSED,
    UBI_CONSOLE_GROUP_END,
    UBI_CONSOLE_CLEAR,
    UBI_CONSOLE_COUNT, /**< has a label, as have those that follow */
    UBI_CONSOLE_COUNT_RESET,
    UBI_CONSOLE_TIME,
    UBI_CONSOLE_TIME_LOG,
    UBI_CONSOLE_TIME_END
} ubi_console_level;

/** What a program said. Borrowed during the call. */
typedef struct ubi_console_message {
    ubi_console_level level;
    const ubi_value *arguments; /**< arguments[n_arguments]; of UNCAUGHT one, what was thrown */
    uint32_t n_arguments;
    ubi_text text;   /**< UNCAUGHT: in words, such as "TypeError: x is not a function"; else NULL text */
    ubi_text source; /**< where; NULL text: unknown */
    uint32_t line, column;
    double time_ms; /**< since the epoch */
    const ubi_console_frame
        *frames; /**< frames[frame_count]: of WARN, ERROR, TRACE, ASSERT; of UNCAUGHT those of the error */
    uint32_t frame_count;
    ubi_text label;     /**< of a counter or a timer; else NULL text */
    uint64_t count;     /**< COUNT */
    double duration_ms; /**< TIME_LOG, TIME_END: since the timer began */
    bool is_misplaced;  /**< there is no such counter or timer; TIME: there is one already */
} ubi_console_message;
/** Called while the program runs. May ask the console about values, and release them, but not evaluate nor close it. */
typedef void (*ubi_console_message_fn)(void *payload, const ubi_console_message *message);

typedef struct ubi_console_listener {
    ubi_console_message_fn on_message;
    void *payload;
} ubi_console_listener;

/* ---- completions ---------------------------------------------------------------------------------------------------- */

/** A name that continues what is typed. */
typedef void (*ubi_completion_fn)(void *payload, ubi_text name);

typedef struct ubi_completion {
    ubi_text begin;         /**< what the names begin with: the end of the text, behind a quote; borrowed from it */
    char quote;             /**< of an element access such as object["na, the quote; else 0 */
    bool is_property;       /**< of an object that was named, not a variable */
    bool is_element_access; /**< of an element access */
} ubi_completion;

/* ---- consoles ------------------------------------------------------------------------------------------------------- */

/** What an engine implements; the calls are those of ubi_console_*. */
typedef struct ubi_console_ops {
    uint32_t version; /**< UBI_CONSOLE_OPS_VERSION */
    void (*close)(void *payload);
    ubi_status (*evaluate)(void *payload, ubi_text text, bool is_eager, ubi_evaluation *out);
    ubi_status (*describe)(void *payload, ubi_value_handle handle, ubi_object_description *out);
    ubi_status (*properties)(void *payload, ubi_value_handle handle, uint32_t selection, uint64_t first, uint64_t count,
                             ubi_property_fn fn, void *fn_payload, uint64_t *total);
    ubi_status (*prototype)(void *payload, ubi_value_handle handle, ubi_value *out);
    ubi_status (*substring)(void *payload, ubi_value_handle handle, uint64_t first, uint64_t end, ubi_text *out);
    ubi_status (*release)(void *payload, ubi_value_handle handle);
    ubi_status (*entries)(void *payload, ubi_value_handle handle, uint64_t first, uint64_t count, ubi_entry_fn fn,
                          void *fn_payload, uint64_t *total);
    ubi_status (*slots)(void *payload, ubi_value_handle handle, ubi_object_slots *out);
    ubi_status (*get)(void *payload, ubi_value_handle handle, ubi_text name, ubi_value_handle receiver,
                      ubi_evaluation *out);
    void (*stop)(void *payload);
    ubi_status (*complete)(void *payload, ubi_text text, ubi_completion_fn fn, void *fn_payload, ubi_completion *out);
} ubi_console_ops;

#define UBI_CONSOLE_OPS_VERSION 2

/** A value; valid until ubi_console_close. */
typedef struct ubi_console {
    const ubi_console_ops *ops;
    void *payload;
} ubi_console;

/**
 * Opens a console.
 * @param out  to be closed, before the target goes. @param scope  the first of its realms is where texts are evaluated, and only messages of
 * its realms are heard; NULL: of all. Borrowed. @param listener  copied; NULL: none.
 * Errors: UBI_ESTATE (the target has no consoles), UBI_EMISMATCH (the scope is another target's), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_target_open_console(ubi_console *out, ubi_target target, const ubi_target_scope *scope,
                                           const ubi_console_listener *listener);
/** Releases all values. */
UBI_API void ubi_console_close(ubi_console console);
/**
 * Runs a text as a script of the realm, to its end, which may never come. A global `window` is there meanwhile, if the program has none.
 * @param is_eager  it may have no effects: nothing is run, and the value is undefined.
 * Errors: UBI_ESTATE (the realm is gone), UBI_ENOMEM. What the text throws is not an error.
 */
UBI_API ubi_status ubi_console_evaluate(ubi_evaluation *out, ubi_console console, ubi_text text, bool is_eager);
/**
 * Ends the texts and getters of this console that run: to be called at a safe point within one. It throws an error that no code catches,
 * at its next step; the program lives on. What the text has left for later, such as timers, is the program's. Nothing runs: no effect.
 */
UBI_API void ubi_console_stop(ubi_console console);
/**
 * Names that continue the end of a text, such as `gl`, `object.na` or `object["na`: variables, or properties of what the path before them
 * leads to, inherited ones too. No getter runs: a path with one leads to nothing. Names are in no order, and one may come twice.
 * @param out  what is completed; written before the first name, and may be NULL. Errors: UBI_ESTATE (the realm is gone), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_console_complete(ubi_completion *out, ubi_console console, ubi_text text, ubi_completion_fn fn,
                                        void *payload);
/** Describes an object. Errors: UBI_ENOTFOUND (no such object is held), UBI_ENOMEM. Cost: O(properties). */
UBI_API ubi_status ubi_console_describe(ubi_object_description *out, ubi_console console, ubi_value_handle handle);
/**
 * Own properties of an object, in the language's order, from the `first` of the selected ones on, at most `count`.
 * @param selection  bits of ubi_property_selection. @param fn  NULL when the count is 0.
 * @param total  how many there are of the selection; may be NULL.
 * Errors: as ubi_console_describe. Cost: O(properties).
 */
UBI_API ubi_status ubi_console_properties(ubi_console console, ubi_value_handle handle, uint32_t selection,
                                          uint64_t first, uint64_t count, ubi_property_fn fn, void *payload,
                                          uint64_t *total);
/**
 * Entries of a collection, in the order in which they were made, from the `first` on, at most `count`. Other objects have none.
 * @param fn  NULL when the count is 0. @param total  how many there are; may be NULL.
 * Errors: as ubi_console_describe. Cost: O(first + count), of a weak collection O(entries).
 */
UBI_API ubi_status ubi_console_entries(ubi_console console, ubi_value_handle handle, uint64_t first, uint64_t count,
                                       ubi_entry_fn fn, void *payload, uint64_t *total);
/** What an object holds beside properties and entries; undefined: nothing. Errors: as ubi_console_describe. */
UBI_API ubi_status ubi_console_slots(ubi_object_slots *out, ubi_console console, ubi_value_handle handle);
/**
 * Reads a property as the program would: a getter or a trap of a proxy runs, to its end.
 * @param name  of it. @param receiver  what a getter has as `this`; 0: the object.
 * Errors: UBI_ENOTFOUND (no such object is held), UBI_ESTATE (the realm is gone), UBI_ENOMEM. What it throws is not an error.
 */
UBI_API ubi_status ubi_console_get(ubi_evaluation *out, ubi_console console, ubi_value_handle handle, ubi_text name,
                                   ubi_value_handle receiver);
/** Of an object: its prototype, null, or undefined for a proxy. Errors: as ubi_console_describe. */
UBI_API ubi_status ubi_console_prototype(ubi_value *out, ubi_console console, ubi_value_handle handle);
/** Units [first, end) of a string that is held. Errors: UBI_ENOTFOUND, UBI_ENOMEM. Cost: O(its length). */
UBI_API ubi_status ubi_console_substring(ubi_text *out, ubi_console console, ubi_value_handle handle, uint64_t first,
                                         uint64_t end);
/** The console no longer holds it. Errors: UBI_ENOTFOUND. */
UBI_API ubi_status ubi_console_release(ubi_console console, ubi_value_handle handle);

#ifdef __cplusplus
}
#endif
#endif
