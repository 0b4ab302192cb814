"""Work beside the screen: lanes, the services that call the engine, the recorder."""
