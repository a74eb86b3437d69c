ubiheap info --color=sometimes tiny-before.fxsnapshot
