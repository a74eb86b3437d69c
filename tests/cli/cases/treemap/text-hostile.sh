ubiheap treemap --format text -b objectClass hostile.fxsnapshot
