ubiheap diff hostile.fxsnapshot two.fxsnapshot
ubiheap diff big-ids.fxsnapshot two.fxsnapshot
