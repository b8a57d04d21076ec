package dev.nodepath.linux.route;

/**
 * A listed route of the main table.
 *
 * @param options the route's protocol, and its other options that differ from the kernel's default; table and scope are
 *     not among them
 */
public record ListedRoute(Route route, RouteOptions options) {}
