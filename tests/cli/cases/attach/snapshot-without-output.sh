ubiheap attach firefox://localhost snapshot
