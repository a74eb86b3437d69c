ubiheap rss node
