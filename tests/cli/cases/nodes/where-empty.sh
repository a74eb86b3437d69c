ubiheap nodes --where '' tiny-before.fxsnapshot
