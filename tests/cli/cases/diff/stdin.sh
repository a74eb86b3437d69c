ubiheap diff --json -b count - tiny-after.fxsnapshot < tiny-before.fxsnapshot
ubiheap diff --json -b count tiny-before.fxsnapshot - < tiny-after.fxsnapshot
