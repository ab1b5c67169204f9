<?xml version="1.0" encoding="UTF-8"?>
<!-- Makes a page of what `spl analyse` writes in the form `xml`: xsltproc metrics-1.xsl metrics.xml >metrics.html. Browsers no longer run
     stylesheets; a page of `spl pages` needs none. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="html" encoding="UTF-8" doctype-system="about:legacy-compat"/>

  <xsl:template match="/benchmark">
    <html lang="en">
      <head><title>Metrics of <xsl:value-of select="@name"/></title></head>
      <body>
        <h1>Metrics of <xsl:value-of select="@name"/></h1>
        <xsl:apply-templates select="sample-space"/>
      </body>
    </html>
  </xsl:template>

  <xsl:template match="sample-space">
    <h2><xsl:value-of select="@name"/></h2>
    <table>
      <tr><th>metric</th><th>value</th><th>how certain</th><th>why</th></tr>
      <xsl:apply-templates select=".//value | .//continuous | .//percentile | .//bin"/>
    </table>
  </xsl:template>

  <xsl:template match="value | continuous | percentile | bin">
    <tr class="metric">
      <td>
        <xsl:value-of select="concat(ancestor::category/@name, '.', ancestor::metric/@name, '.', name())"/>
        <xsl:if test="self::bin">[<xsl:value-of select="@key | @low_key"/>]</xsl:if>
      </td>
      <td>
        <xsl:choose>
          <xsl:when test="@least and @least != @most"><xsl:value-of select="concat(@least, ' to ', @most)"/></xsl:when>
          <xsl:when test="text()"><xsl:value-of select="."/></xsl:when>
          <xsl:otherwise>N/A</xsl:otherwise>
        </xsl:choose>
      </td>
      <td><xsl:value-of select="@exactness"/></td>
      <td><xsl:value-of select="@reasons"/></td>
    </tr>
  </xsl:template>
</xsl:stylesheet>
