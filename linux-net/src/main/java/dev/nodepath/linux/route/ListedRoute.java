package dev.nodepath.linux.route;

/**
 * A route of the main table as it was listed.
 *
 * @param options its protocol, and what else it has that is not the kernel's default; table and scope are left out
 */
public record ListedRoute(Route route, RouteOptions options) {}
