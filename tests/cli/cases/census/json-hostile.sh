ubiheap census --json -b objectClassAllocationStack hostile.fxsnapshot
