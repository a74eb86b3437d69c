ubiheap attach firefox://localhost gc --seconds 2
