ubiheap attach firefox://localhost snapsot
