ubiheap attach firefox://localhost/tab/0 list
