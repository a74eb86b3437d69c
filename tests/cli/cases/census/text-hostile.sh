ubiheap census -b objectClassAllocationStack hostile.fxsnapshot
