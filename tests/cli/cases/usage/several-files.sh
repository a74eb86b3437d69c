ubiheap tiny-before.fxsnapshot tiny-after.fxsnapshot
ubiheap summary tiny-before.fxsnapshot tiny-after.fxsnapshot two.fxsnapshot
