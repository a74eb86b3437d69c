COLUMNS=40 ubiheap node --limit 2 tiny-before.fxsnapshot 1810879808088
