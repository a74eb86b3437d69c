ubiheap rss
