ubiheap summary --since tiny-before.fxsnapshot tiny-after.fxsnapshot
