/* SPDX-License-Identifier: MIT
 *
 * public_names_firefox.c: names that SpiderMonkey, Gecko and their snapshots use for what is theirs.
 *
 * Collected from Firefox ESR 153's snapshots of blank pages and of its own windows, and read one by one: a name that a
 * page could have brought is not here.
 */
#include "analyses/anonymize/public_names.h"

const ubi__name_group ubi__names_firefox[] = {
    { UBI__NAMES_TYPE,
      "JS::BigInt|JS::Symbol|JS::ubi::RootList|JSObject|JSScript|JSString|js::BaseScript|js::BaseShape|"
      "js::GetterSetter|js::LazyScript|js::ObjectGroup|js::PropMap|js::RegExpShared|js::Scope|js::Shape|"
      "js::jit::JitCode|Attr|Document|DocumentFragment|nsIContent|nsINode" },

    /* What a script, a shape, a scope, a string and their like lead to. */
    { UBI__NAMES_EDGE,
      "AllocSite script|JitScript::owningScript_|baseline-ic-stub-code|baseline-method|cacheir-jitcode|"
      "cacheir-object|cacheir-shape|cacheir-string|cacheir-symbol|cacheir-value|cacheir-weak-object|"
      "cacheir-weak-script|cacheir-weak-shape|cacheir-weak-value|enclosingScope|function|rel#|script-gcthing|"
      "sourceObject|warp-cacheir-shape|warp-shape-list-shape|warp-stub-code|base|baseshape_global|baseshape_proto|"
      "gettersetter_getter|gettersetter_setter|PropMapTable map|propertymap|propmap_key|propmap_parent|"
      "propmap_previous|RegExpRealm::matchResultShapes_|RegExpShared pattern atom|RegExpShared source|"
      "scope canonical function|scope enclosing|scope env shape|scope module|scope name|shared symbol|"
      "symbol description|left child|right child" },

    /* What objects lead to beside their properties. */
    { UBI__NAMES_EDGE,
      "**SYMBOL KEY**|**UNKNOWN SLOT #**|$_|$&|$'|$+|$`|JSFunction script|OrderedHashMapObject value|Reflected Node|"
      "Shadowing DOM proxy expando|WeakMap entry value|WeakMap entry key|WeakMap owner|WeakRef target|"
      "array element[#]|bound|callee_slot|cross-compartment wrapper target|enclosing_environment|expando|hashmap key|"
      "hashmap value|map-object-template|module bindings binding name|module bindings environment|mJSVal|"
      "objectElements[#]|propertySet|proxy target|proxy_reserved|protoAndIfaceCache[i]|set-object-template|shape|"
      "unmapped-arguments-template|Debugger Object|Debugger.Object referent|ExportEntry::exportName_|"
      "ExportEntry::importName_|ExportEntry::localName_|ExportEntry::moduleRequest_|ImportEntry::importName_|"
      "ImportEntry::localName_|ImportEntry::moduleRequest_|RequestedModule::moduleRequest_|"
      "CyclicModuleFields::asyncParentModules|CyclicModuleFields::cycleRoot|CyclicModuleFields::scriptSourceObject|"
      "CyclicModuleFields::topLevelCapability|XPCNativeInterface::mMembers|XPCNativeInterface::mName|"
      "XPCWrappedNativeProto::mJSProtoObject|SavedStacks::LocationValue::source" },

    /* What globals, realms and roots lead to. */
    { UBI__NAMES_EDGE,
      "JS::RootedValueArray[#]|ProfilingStackFrame script|ReceiveMessageArgument.mData|ReceiveMessageArgument.mJson|"
      "Traceable|XPCWrappedNative::CallMethod param|XPCWrappedNativeScope::mCIDProto|XPCWrappedNativeScope::mIDProto|"
      "XPCWrappedNativeScope::mIIDProto|active window global|env chain|exact-Object|exact-Script|exact-String|"
      "exact-id|exact-value|fp argv[#]|fp callee and this[#]|global-array-shape|global-bound-function-shape|"
      "global-builtin-ctor|global-builtin-ctor-proto|global-builtin-proto|global-computed-intrinsics-holder|"
      "global-empty-scope|global-eval|global-ext-function-shape|global-function-shape|global-intrinsics-holder|"
      "global-lexical-env|global-plain-shape|global-regexp-shape|global-source-urls|global-window-proxy|"
      "heap snapshot global|mAnonymousGlobalScopes[i]|mCallback|mCallbackGlobal|mConstructors key|mCreationStack|"
      "mIncumbentJSGlobal|mInitialProcessData|mJSObj|mModuleRecord|mPermanentKey|mPromiseObj|mStack|mWindowProxy|"
      "on-stack realm global|persistent-Object|persistent-Value|pinned atom|realm debugger|script|"
      "self-hosting-script-source|sequence<object>|vector element|vm_stack[#]|wrapper|Preserved wrapper" },

    /* What DOM nodes lead to. */
    { UBI__NAMES_EDGE, "Child Node|Parent Node" },

    /* Classes of objects that the engine makes for itself, and of Firefox's own interfaces. */
    { UBI__NAMES_CLASS,
      "AddonManager|Arguments|Array|AsyncFrom|AsyncFunctionGenerator|AsyncGenerator|AsyncStatementJSHelper|Atomics|"
      "BoundFunction|BoundFunctionObject|BrowsingContext|Call|CanonicalBrowsingContext|ChannelWrapper|"
      "ChildProcessMessageManager|ChromeMessageBroadcaster|ChromeMessageSender|ChromeNodeList|ChromeUtils|"
      "ChromeWorker|Console|ConsoleInstance|ContentProcessMessageManager|DOMLocalization|DebuggeeWouldRun|Debugger|"
      "DebuggerDebuggeeLink|DocumentL10n|FinalizationWitness|FrameLoader|Generator|Glean|GleanBoolean|GleanCategory|"
      "GleanCounter|GleanCustomDistribution|GleanDatetime|GleanEvent|GleanImpl|GleanLabeled|GleanMetric|GleanObject|"
      "GleanPingsImpl|GleanQuantity|GleanString|GleanStringList|GleanText|GleanTimespan|GleanTimingDistribution|"
      "GleanUrl|GleanUuid|Global|IOUtils|InspectorUtils|Intl.Collator|Intl.DateTimeFormat|Intl.DisplayNames|"
      "Intl.ListFormat|Intl.Locale|Intl.NumberFormat|Intl.PluralRules|Intl.RelativeTimeFormat|Intl.Segmenter|"
      "Iterator Helper|JSON|JSProcessActorChild|JSProcessActorParent|JSServices|JSWindowActorChild|"
      "JSWindowActorParent|JSXrayHolder|L10nFileSource|L10nRegistry|LexicalEnvironment|List|Localization|MatchGlob|"
      "MatchPattern|MatchPatternSet|MessageBroadcaster|MessageListenerManager|MessageSender|Module|"
      "ModuleEnvironmentObject|ModuleRequest|MozDocumentMatcher|MozQueryInterface|MozSharedMap|"
      "MozSharedMapChangeEvent|MozWritableSharedMap|NonSyntacticVariablesObject|NotifyPaintEvent|"
      "ParentProcessMessageManager|PathUtils|PlacesBookmark|PlacesBookmarkAddition|PlacesEvent|PlacesEventCounts|"
      "PlacesObservers|PlacesWeakCallbackWrapper|PrecompiledScript|ProcessMessageManager|PromiseCombinatorDataHolder|"
      "PromiseDebugInfo|PromiseDebugging|PromiseNativeHandler|PromiseReactionRecord|RegExp String|Sandbox|SavedFrame|"
      "ScriptSource|StructuredCloneHolder|SyncMessageSender|SystemGlobal|Temporal.Duration|Temporal.Instant|"
      "Temporal.Now|TypedArray|UniFFIPointer|UniFFIScaffolding|Var|WasmInstance|WebExtensionContentScript|"
      "WebExtensionPolicy|WindowContext|WindowGlobalChild|WindowGlobalParent|WindowProperties|WindowRoot|With|"
      "XPCWrappedNative_NoHelper|XPC_WN_Proto_JSClass|XULCommandEvent|XULElement|XULFrameElement|XULMenuElement|"
      "XULPopupElement|XULTextElement|XULTreeElement|XrayHolder|nsJSCID|nsJSID|nsJSIID|nsXPCComponents|"
      "nsXPCComponents_Classes|nsXPCComponents_Interfaces|nsXPCComponents_Results|nsXPCComponents_Utils" },

    /* Names of functions that have none, and of what Firefox gives every scope. */
    { UBI__NAMES_MEMBER,
      "anonymous|dump|asyncCause|asyncParent|column|line|functionDisplayName|parent|source|.generator|.initializers|"
      ".this|.newTarget|.args" },

    { UBI__NAMES_TAG,
      "#cdata-section|#comment|#document|#document-fragment|#shadow-root|#text|html|svg|math|xul|"
      /* HTML */
      "a|abbr|acronym|address|area|article|aside|audio|b|base|bdi|bdo|big|blockquote|body|br|button|canvas|caption|"
      "center|cite|code|col|colgroup|data|datalist|dd|del|details|dfn|dialog|dir|div|dl|dt|em|embed|fieldset|"
      "figcaption|figure|font|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hgroup|hr|i|iframe|img|input|"
      "ins|kbd|label|legend|li|link|main|map|mark|marquee|menu|meta|meter|nav|noscript|object|ol|optgroup|option|"
      "output|p|param|picture|pre|progress|q|rp|rt|ruby|s|samp|script|search|section|select|slot|small|source|span|"
      "strike|strong|style|sub|summary|sup|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|track|tt|u|"
      "ul|var|video|wbr|"
      /* SVG and MathML */
      "animate|animatemotion|animatetransform|circle|clippath|defs|desc|ellipse|feblend|fecolormatrix|fecomposite|"
      "fedropshadow|feflood|fegaussianblur|feimage|femerge|femergenode|femorphology|feoffset|feturbulence|filter|"
      "foreignobject|g|image|line|lineargradient|marker|mask|metadata|mpath|path|pattern|polygon|polyline|"
      "radialgradient|rect|set|stop|switch|symbol|text|textpath|tspan|use|view|annotation|mfrac|mi|mn|mo|mover|mrow|"
      "msqrt|mstyle|msub|msup|mtable|mtd|mtext|mtr|munder|semantics|"
      /* XUL */
      "arrowscrollbox|box|browser|checkbox|command|commandset|deck|description|hbox|key|keyset|linkset|menubar|"
      "menucaption|menugroup|menuitem|menulist|menupopup|menuseparator|panel|popupset|radio|radiogroup|richlistbox|"
      "richlistitem|scrollbar|scrollbox|separator|spacer|splitter|stack|stringbundle|stringbundleset|tab|tabbox|"
      "tabpanel|tabpanels|tabs|toolbar|toolbarbutton|toolbaritem|toolbarseparator|toolbarspring|toolbox|tooltip|tree|"
      "treechildren|treecol|treecols|vbox|window" },

    { UBI__NAMES_FILE,
      "self-hosted|eval|anonymous|javascript|debugger eval code|debugger expression|[System Principal]|about:blank|"
      "about:srcdoc|<stdin>|<unknown>|<evalScript>|(unknown)|[eval]|[eval]-wrapper|[stdin]|[stdin]-wrapper|[worker "
      "eval]|"
      "[worker eval]-wrapper|evalmachine.<anonymous>" },
    { UBI__NAMES_SCHEME,
      "about|app|blob|capacitor|chrome|chrome-extension|data|file|ftp|http|https|javascript|moz-extension|moz-src|"
      "node|resource|safari-web-extension|view-source|wasm|webpack|webpack-internal|ws|wss" },
    { UBI__NAMES_HOST, "localhost|127.0.0.1|[::1]|gre|app|browser|devtools|extensions|global|remote|specialpowers" },
    { UBI__NAMES_EXTENSION,
      "js|mjs|cjs|jsm|sys|es5|es6|es|esm|umd|iife|ts|mts|cts|tsx|jsx|vue|svelte|html|htm|xhtml|xht|xul|xml|svg|css|"
      "json|map|wasm|php|asp|aspx|jsp|min|bundle|chunk|prod|production|dev|development|module|worker" },
    { UBI__NAMES_INTRODUCER,
      "eval|Function|AsyncFunction|GeneratorFunction|AsyncGeneratorFunction|javascriptURL|scriptElement|eventHandler|"
      "domTimer|setTimeout|setInterval|debugger eval|WebAssembly.Module|wasm|Worklet|importScripts|injectedScript" },
    { 0, NULL },
};
