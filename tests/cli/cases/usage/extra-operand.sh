ubiheap info tiny-before.fxsnapshot tiny-after.fxsnapshot
