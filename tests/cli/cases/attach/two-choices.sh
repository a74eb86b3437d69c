ubiheap attach firefox://localhost/tab/1 gc --process 0
