package dev.nodepath.dns;

/** A Service's namespace and name. */
record ServiceName(String namespace, String name) {
    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
