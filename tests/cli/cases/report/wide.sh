COLUMNS=120 ubiheap report tiny-before.fxsnapshot
