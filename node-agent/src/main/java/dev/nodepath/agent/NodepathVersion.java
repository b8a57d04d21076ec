package dev.nodepath.agent;

import picocli.CommandLine.IVersionProvider;

/** What {@code nodepath --version} prints. */
final class NodepathVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"nodepath " + version()};
    }

    /** Of the jar that this is in. */
    static String version() {
        String version = Nodepath.class.getPackage().getImplementationVersion();
        return version == null ? "(not packaged)" : version;
    }
}
