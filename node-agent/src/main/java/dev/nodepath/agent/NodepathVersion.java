package dev.nodepath.agent;

import picocli.CommandLine.IVersionProvider;

/** What {@code nodepath --version} prints. */
final class NodepathVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Nodepath.class.getPackage().getImplementationVersion();
        return new String[] {"nodepath " + (version == null ? "(not packaged)" : version)};
    }
}
