"""What may be searched now, who searches it, and what comes of it: splits, backends, the coordinator."""
