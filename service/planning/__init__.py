"""What a service of a given size needs: `tabularium plan`."""
