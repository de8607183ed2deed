"""HTTP: requests read strictly, answers, problems, streams."""
