ubiheap search --limit 2 tiny-before.fxsnapshot window
