ubiheap rss 2147483647
