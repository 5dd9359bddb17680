"""`haribote share`: a page, a picture and a film of the learner's chip learning, to show to others."""
