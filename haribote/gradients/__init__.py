"""One gradient rule per operator, in the field's groups; `haribote.autodiff` applies them."""
