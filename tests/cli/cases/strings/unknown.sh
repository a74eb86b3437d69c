ubiheap strings --duplicates tiny-before.fxsnapshot
