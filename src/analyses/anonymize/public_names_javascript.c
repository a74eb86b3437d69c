/* SPDX-License-Identifier: MIT
 *
 * public_names_javascript.c: the names of JavaScript's library, as Firefox lists them.
 *
 * Written by tools/public_names.py; do not edit.
 */
#include "analyses/anonymize/public_names.h"

const ubi__name_group ubi__names_javascript[] = {
    { UBI__NAMES_CLASS | UBI__NAMES_MEMBER,
      "AggregateError|Array|ArrayBuffer|AsyncDisposableStack|Atomics|BigInt|BigInt64Array|BigUint64Array|Boolean|"
      "Collator|CompileError|DataView|Date|DateTimeFormat|DisplayNames|DisposableStack|Duration|DurationFormat|Error|"
      "EvalError|Exception|FinalizationRegistry|Float16Array|Float32Array|Float64Array|Function|Global|Instance|"
      "Instant|Int16Array|Int32Array|Int8Array|InternalError|Intl|Iterator|JSTag|LinkError|ListFormat|Locale|Map|Math|"
      "Memory|Module|NaN|Now|Number|NumberFormat|Object|PlainDate|PlainDateTime|PlainMonthDay|PlainTime|PlainYearMonth|"
      "PluralRules|Promise|Proxy|RangeError|ReferenceError|Reflect|RegExp|RelativeTimeFormat|RuntimeError|Segmenter|"
      "Set|String|SuppressedError|SuspendError|Suspending|Symbol|SyntaxError|Table|Tag|Temporal|TypeError|URIError|"
      "Uint16Array|Uint32Array|Uint8Array|Uint8ClampedArray|WeakMap|WeakRef|WeakSet|WebAssembly|ZonedDateTime" },
    { UBI__NAMES_MEMBER,
      "$1|$2|$3|$4|$5|$6|$7|$8|$9|$_|BYTES_PER_ELEMENT|E|EPSILON|JSON|LN10|LN2|LOG10E|LOG2E|MAX_SAFE_INTEGER|MAX_VALUE|"
      "MIN_SAFE_INTEGER|MIN_VALUE|NEGATIVE_INFINITY|PI|POSITIVE_INFINITY|SQRT1_2|SQRT2|UTC|__defineGetter__|"
      "__defineSetter__|__lookupGetter__|__lookupSetter__|__proto__|abs|acos|acosh|add|adopt|all|allSettled|anchor|and|"
      "any|apply|arguments|asIntN|asUintN|asin|asinh|assign|asyncDispose|asyncIterator|at|atan|atan2|atanh|baseName|"
      "big|bind|blank|blink|bold|buffer|byteLength|byteOffset|calendar|calendarId|call|callee|caller|captureStackTrace|"
      "caseFirst|catch|cbrt|ceil|charAt|charCodeAt|clear|clz32|codePointAt|collation|compare|compareExchange|compile|"
      "compileStreaming|concat|construct|constructor|copyWithin|cos|cosh|create|customSections|day|dayOfWeek|dayOfYear|"
      "days|daysInMonth|daysInWeek|daysInYear|defer|defineProperties|defineProperty|delete|deleteProperty|deref|"
      "description|detached|difference|dispose|disposeAsync|disposed|dotAll|drop|endsWith|entries|epochMilliseconds|"
      "epochNanoseconds|equals|era|eraYear|escape|every|exchange|exec|exp|expm1|exports|f16round|fill|filter|finally|"
      "find|findIndex|findLast|findLastIndex|firstDayOfWeek|fixed|flags|flat|flatMap|floor|fontcolor|fontsize|for|"
      "forEach|format|formatRange|formatRangeToParts|formatToParts|freeze|from|fromAsync|fromBase64|fromCharCode|"
      "fromCodePoint|fromEntries|fromEpochMilliseconds|fromEpochNanoseconds|fromHex|fround|get|getArg|getBigInt64|"
      "getBigUint64|getCalendars|getCanonicalLocales|getCollations|getDate|getDay|getFloat16|getFloat32|getFloat64|"
      "getFullYear|getHourCycles|getHours|getInt16|getInt32|getInt8|getMilliseconds|getMinutes|getMonth|"
      "getNumberingSystems|getOrInsert|getOrInsertComputed|getOwnPropertyDescriptor|getOwnPropertyDescriptors|"
      "getOwnPropertyNames|getOwnPropertySymbols|getPrototypeOf|getSeconds|getTextInfo|getTime|getTimeZoneTransition|"
      "getTimeZones|getTimezoneOffset|getUTCDate|getUTCDay|getUTCFullYear|getUTCHours|getUTCMilliseconds|getUTCMinutes|"
      "getUTCMonth|getUTCSeconds|getUint16|getUint32|getUint8|getWeekInfo|getYear|global|groupBy|grow|has|hasIndices|"
      "hasInstance|hasOwn|hasOwnProperty|hour|hourCycle|hours|hoursInDay|hypot|ignoreCase|imports|imul|inLeapYear|"
      "includes|indexOf|input|instant|instantiate|instantiateStreaming|intersection|is|isArray|isConcatSpreadable|"
      "isDisjointFrom|isError|isExtensible|isFinite|isFrozen|isInteger|isLockFree|isNaN|isPrototypeOf|isRawJSON|"
      "isSafeInteger|isSealed|isSubsetOf|isSupersetOf|isView|isWellFormed|italics|iterator|join|keyFor|keys|language|"
      "lastIndexOf|lastMatch|lastParen|leftContext|length|link|load|localeCompare|log|log10|log1p|log2|map|match|"
      "matchAll|max|maxByteLength|maximize|message|microsecond|microseconds|millisecond|milliseconds|min|minimize|"
      "minute|minutes|month|monthCode|months|monthsInYear|move|multiline|name|nanosecond|nanoseconds|negated|next|"
      "normalize|notify|now|numberingSystem|numeric|of|offset|offsetNanoseconds|or|ownKeys|padEnd|padStart|parse|"
      "parseFloat|parseInt|pause|plainDateISO|plainDateTimeISO|plainTimeISO|pop|pow|preventExtensions|promising|"
      "propertyIsEnumerable|prototype|push|race|random|raw|rawJSON|reduce|reduceRight|region|register|reject|repeat|"
      "replace|replaceAll|resizable|resize|resolve|resolvedOptions|return|reverse|revocable|rightContext|round|script|"
      "seal|search|second|seconds|segment|select|selectRange|set|setBigInt64|setBigUint64|setDate|setFloat16|"
      "setFloat32|setFloat64|setFromBase64|setFromHex|setFullYear|setHours|setInt16|setInt32|setInt8|setMilliseconds|"
      "setMinutes|setMonth|setPrototypeOf|setSeconds|setTime|setUTCDate|setUTCFullYear|setUTCHours|setUTCMilliseconds|"
      "setUTCMinutes|setUTCMonth|setUTCSeconds|setUint16|setUint32|setUint8|setYear|shift|sign|sin|since|sinh|size|"
      "slice|small|some|sort|source|species|splice|split|sqrt|stack|stackTraceLimit|startOfDay|startsWith|sticky|store|"
      "strike|stringify|sub|substr|substring|subtract|sumPrecise|sup|supportedLocalesOf|supportedValuesOf|"
      "symmetricDifference|take|tan|tanh|test|then|throw|timeZoneId|toArray|toBase64|toDateString|toExponential|"
      "toFixed|toFixedLengthBuffer|toGMTString|toHex|toISOString|toInstant|toJSON|toLocaleDateString|toLocaleLowerCase|"
      "toLocaleString|toLocaleTimeString|toLocaleUpperCase|toLowerCase|toPlainDate|toPlainDateTime|toPlainMonthDay|"
      "toPlainTime|toPlainYearMonth|toPrecision|toPrimitive|toResizableBuffer|toReversed|toSorted|toSpliced|toString|"
      "toStringTag|toTemporalInstant|toTimeString|toUTCString|toUpperCase|toWellFormed|toZonedDateTime|"
      "toZonedDateTimeISO|total|transfer|transferToFixedLength|trim|trimEnd|trimLeft|trimRight|trimStart|trunc|try|"
      "unicode|unicodeSets|union|unregister|unscopables|unshift|until|use|validate|value|valueOf|values|variants|wait|"
      "waitAsync|wake|weekOfYear|weeks|with|withCalendar|withPlainTime|withResolvers|withTimeZone|xor|year|yearOfWeek|"
      "years|zip|zipKeyed|zonedDateTimeISO" },
    { 0, NULL },
};
