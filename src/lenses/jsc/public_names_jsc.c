/* SPDX-License-Identifier: MIT
 *
 * public_names_jsc.c: names that JavaScriptCore's snapshots use for what is the engine's own, or Bun's.
 *
 * Collected from snapshots of WebKitGTK 2.50.6's shell and of Bun 1.4.5, and read one by one: a name that a program could have
 * brought is not here.
 */
#include "analyses/anonymize/public_names.h"

extern const ubi__name_group ubi__names_jsc[];

const ubi__name_group ubi__names_jsc[] = {
    { UBI__NAMES_TYPE,
      "<root>|root|function|element|Cell Butterfly|CustomGetterSetter|DOMAttributeGetterSetter|EvalCodeBlock|"
      "EvalExecutable|FunctionCodeBlock|FunctionExecutable|FunctionRareData|GetterSetter|Immutable Butterfly|"
      "JSGlobalLexicalEnvironment|JSLexicalEnvironment|JSModuleEnvironment|JSPropertyNameEnumerator|"
      "JSScriptFetcher|JSSourceCode|ModuleGraphLoadingState|ModuleLoader|ModuleLoadingContext|"
      "ModuleProgramCodeBlock|ModuleProgramExecutable|ModuleRegistryEntry|NativeExecutable|ProgramCodeBlock|"
      "ProgramExecutable|PropertyTable|ScopedArgumentsTable|Sentinel|SlimPromiseReaction|SparseArrayValueMap|"
      "StrictEvalActivation|StrongRootBlock|Structure|StructureChain|StructureRareData|SymbolTable|"
      "TemplateObjectDescriptor|UnlinkedEvalCodeBlock|UnlinkedFunctionCodeBlock|UnlinkedFunctionExecutable|"
      "UnlinkedModuleProgramCodeBlock|UnlinkedProgramCodeBlock" },

    /* Objects of the engine, and of Bun. */
    { UBI__NAMES_CLASS, "AsyncFromSyncIterator|InternalFieldTuple|InternalModuleRegistry|JSAsyncGeneratorFunction|"
                        "ModuleRecord|NextTickQueue|NodeJSFS|ProcessBindingConstants" },

    { 0, NULL },
};
