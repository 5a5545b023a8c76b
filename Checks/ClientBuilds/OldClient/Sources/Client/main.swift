Scenes().playAll()
