COLUMNS=140 ubiheap show --limit 4 tiny-before.fxsnapshot 1810879808088
