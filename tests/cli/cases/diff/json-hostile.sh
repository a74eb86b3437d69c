ubiheap diff --json -b allocationStack two.fxsnapshot hostile.fxsnapshot
