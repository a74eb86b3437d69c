ubiheap leaks --every soon ubi://localhost
