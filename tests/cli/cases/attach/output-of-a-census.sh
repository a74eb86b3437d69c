ubiheap attach firefox://localhost census -o out.json
