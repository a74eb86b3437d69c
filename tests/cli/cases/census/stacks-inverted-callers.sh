# A function that was called from several places: what came along each of them.
ubiheap census -b invertedAllocationStack --filter TreeNode -n 2 -d 3 tiny-before.fxsnapshot
